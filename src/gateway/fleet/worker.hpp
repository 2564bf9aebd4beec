#pragma once

/// One configured model: its process, the connection to it and its life, tied together. The decisions are in
/// worker_life.hpp; here is what they do.

#include <deque>
#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "gateway/backends/catalogue.hpp"
#include "gateway/backends/worker_backend.hpp"
#include "gateway/fleet/child_process.hpp"
#include "gateway/fleet/observer.hpp"
#include "gateway/fleet/starvation.hpp"
#include "gateway/fleet/worker_life.hpp"

namespace gateway::fleet {

/// A LoRA adapter of a text model; the worker's command has it too.
struct AdapterSpec {
    std::string name;
    std::filesystem::path file;
    float scale = 1;
};

/// What to run for a model.
struct WorkerSpec {
    backends::ModelName name;
    backends::ModelKind kind = backends::ModelKind::text;
    /// `--socket PATH` is put before its arguments.
    Command command;
    /// The model's files. The first dates the model; when any changes, a model that could not be loaded is tried again.
    std::vector<std::filesystem::path> files;
    LifeSettings life;
    /// Requests for its kind that name no model go to this one.
    bool is_default = false;
    std::vector<AdapterSpec> adapters;
};

/// A worker as metrics want it.
struct WorkerSnapshot {
    backends::ModelName name;
    backends::ModelKind kind = backends::ModelKind::text;
    backends::ModelState state = backends::ModelState::loading;
    /// 0 while no process runs.
    pid_t pid = 0;
    std::uint64_t restarts = 0;
    /// Of the present process, at most a few seconds old.
    std::optional<llm_gateway::engine::v1::StatisticsReply> statistics;
};

class Worker final : private Effects, private ChildProcess::Listener {
public:
    /// `socket_stem` is the path of its sockets without their running number. All references must outlive this.
    Worker(boost::asio::io_context& io, backends::Executor& executor, const base::Clock& clock, WorkerSpec spec,
           std::filesystem::path socket_stem);
    ~Worker() override;

    void start(std::vector<Observer*> observers);
    void stop() { life_.stop(); }
    bool stopped() const { return life_.stopped(); }
    /// To be called several times a second.
    void tick();

    const WorkerSpec& spec() const { return spec_; }
    backends::ModelStatus status() const;
    WorkerSnapshot snapshot() const;

private:
    void start_process() override;
    void terminate_process() override;
    void kill_process() override;
    void ask_health() override;
    ProcessorTime processor_time() override;
    void ask_facts() override;
    void became_ready() override;
    void became_unready() override;
    void on_exit(const Death& death) override;

    void ask_statistics();
    void forget_process();
    void tidy_retired();
    void look_at_files();

    /// What can be seen from outside when a file is replaced; all zero for a file that is not there.
    struct FileStamp {
        std::filesystem::file_time_type written{};
        std::uintmax_t bytes = 0;
        bool operator==(const FileStamp&) const = default;
    };
    std::vector<FileStamp> file_stamps() const;

    /// The connection to a process that has ended: some of its last events may still be on their way.
    struct Retired {
        std::unique_ptr<backends::WorkerBackend> backend;
        base::TimePoint close_at;
        /// Seen in a tick; what the last of its calls posted has run by the next one.
        bool all_left = false;
    };

    boost::asio::io_context& io_;
    backends::Executor& executor_;
    const base::Clock& clock_;
    const WorkerSpec spec_;
    const std::filesystem::path socket_stem_;
    std::vector<Observer*> observers_;
    WorkerLife life_;

    unsigned generation_ = 0;
    std::filesystem::path socket_;
    std::unique_ptr<ChildProcess> process_;
    std::optional<StarvationMeter> starvation_;
    std::unique_ptr<backends::WorkerBackend> backend_;
    bool health_asked_ = false;
    bool facts_asked_ = false;
    bool statistics_asked_ = false;
    base::TimePoint started_{};
    std::optional<llm_gateway::engine::v1::ModelFacts> facts_;
    std::optional<llm_gateway::engine::v1::StatisticsReply> statistics_;
    std::vector<FileStamp> stamps_at_start_;
    std::chrono::system_clock::time_point created_;
    /// Of the adapters' files.
    std::vector<std::chrono::system_clock::time_point> adapters_created_;
    base::TimePoint looked_at_files_{};
    std::deque<Retired> retired_;
    /// Lets posted work see that the Worker has ended.
    std::shared_ptr<const bool> alive_ = std::make_shared<const bool>(true);
};

}  // namespace gateway::fleet
