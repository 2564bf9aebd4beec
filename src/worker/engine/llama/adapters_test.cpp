#include "worker/engine/llama/adapters.hpp"

#include <ggml-cpp.h>
#include <gguf.h>
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <numeric>
#include <random>

#include "worker/engine/llama/log_bridge.hpp"
#include "worker/engine/llama/real_model.hpp"

namespace worker::engine::llama {
namespace {

constexpr std::int64_t rank = 32;
constexpr std::int64_t width = 576;  // SmolLM2-135M's

struct Tensor {
    std::string name;
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    std::int64_t deep = 1;
    ggml_type type = GGML_TYPE_F32;
};

/// An adapter of SmolLM2 with random numbers, unless it is changed.
struct AdapterSpec {
    std::vector<Tensor> tensors = {{.name = "blk.0.attn_q.weight.lora_a", .columns = width, .rows = rank},
                                   {.name = "blk.0.attn_q.weight.lora_b", .columns = rank, .rows = width},
                                   {.name = "blk.20.ffn_down.weight.lora_a", .columns = 1536, .rows = rank},
                                   {.name = "blk.20.ffn_down.weight.lora_b", .columns = rank, .rows = width}};
    std::function<void(gguf_context*)> change = [](gguf_context*) {};
};

std::string write_adapter(const std::string& name, const AdapterSpec& spec = {}) {
    const gguf_context_ptr file(gguf_init_empty());
    gguf_set_val_str(file.get(), "general.type", "adapter");
    gguf_set_val_str(file.get(), "general.architecture", "llama");
    gguf_set_val_str(file.get(), "adapter.type", "lora");
    gguf_set_val_f32(file.get(), "adapter.lora.alpha", 1024);
    spec.change(file.get());
    const ggml_context_ptr memory(ggml_init({.mem_size = 16 << 20, .mem_buffer = nullptr, .no_alloc = false}));
    std::mt19937 random(1);
    std::uniform_real_distribution<float> number(-0.1F, 0.1F);
    for (const Tensor& each : spec.tensors) {
        ggml_tensor* tensor = ggml_new_tensor_3d(memory.get(), each.type, each.columns, each.rows, each.deep);
        ggml_set_name(tensor, each.name.c_str());
        std::memset(tensor->data, 0, ggml_nbytes(tensor));
        if (each.type == GGML_TYPE_F32) {
            std::generate_n(static_cast<float*>(tensor->data), ggml_nelements(tensor), [&] { return number(random); });
        }
        gguf_add_tensor(file.get(), tensor);
    }
    const std::string path = testing::TempDir() + "/" + name + ".gguf";
    gguf_write_to_file(file.get(), path.c_str(), false);
    return path;
}

std::unique_ptr<TextEngine> load_with(std::vector<AdapterFile> adapters) {
    static const auto kernels = load_kernels(ENGINE_LIBRARIES);
    auto engine = load({.model = (model_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf").string(),
                        .context = 512,
                        .slots = 2,
                        .adapters = std::move(adapters)},
                       *kernels, [](double) {});
    return engine ? *std::move(engine) : nullptr;
}

std::string problem_of(const TextEngine& engine, int adapter) {
    return engine.facts().text().adapters(adapter).problem();
}

AdapterUses uses(std::initializer_list<std::pair<const char*, float>> named) {
    AdapterUses list;
    for (const auto& [name, scale] : named) {
        auto& use = *list.Add();
        use.set_name(name);
        use.set_scale(scale);
    }
    return list;
}

/// The tokens that a greedy answer has.
std::vector<Token> greedy(TextEngine& engine, const AdapterSet& adapters, std::size_t most) {
    contract::TextJob job;
    job.set_text("The quick brown fox");
    job.mutable_sampling()->set_temperature(0);
    auto prepared = std::move(engine.prepare(job).value());
    std::vector<BatchToken> batch;
    for (const Token token : prepared.prompt) {
        batch.push_back({.token = token, .sequence = 0, .position = static_cast<std::int32_t>(batch.size())});
    }
    auto position = static_cast<std::int32_t>(batch.size());
    std::vector<Token> tokens;
    engine.use(adapters);
    while (tokens.size() < most) {
        batch.back().output = true;
        EXPECT_EQ(engine.decode(batch, false), Decoded::done);
        tokens.push_back(prepared.answers[0]->sample(batch.size() - 1, false));
        batch = {{.token = tokens.back(), .sequence = 0, .position = position++}};
    }
    engine.clear(0);
    return tokens;
}

TEST(Adapters, ChangeAnswersWhileTheyAreUsed) {
    auto engine = load_with({{.name = "random", .file = write_adapter("random"), .sha256 = "1"}});
    ASSERT_NE(engine, nullptr);
    ASSERT_EQ(problem_of(*engine, 0), "");
    const auto none = engine->adapters_of(uses({{"random", 0.0F}}));
    const auto whole = engine->adapters_of(uses({{"random", 1.0F}}));
    const auto half = engine->adapters_of(uses({{"random", 0.5F}}));
    ASSERT_TRUE(none && whole && half);
    EXPECT_EQ(*none, AdapterSet{});
    EXPECT_NE(*whole, *half);
    const auto alone = greedy(*engine, {}, 12);
    EXPECT_EQ(greedy(*engine, *none, 12), alone);
    const auto with = greedy(*engine, *whole, 12);
    EXPECT_NE(with, alone);
    EXPECT_NE(greedy(*engine, *half, 12), with);
    EXPECT_EQ(greedy(*engine, *whole, 12), with);
    EXPECT_EQ(greedy(*engine, {}, 12), alone);
}

TEST(Adapters, AreTheSameSetInAnyOrder) {
    const std::string file = write_adapter("two");
    auto engine =
        load_with({{.name = "one", .file = file, .sha256 = "1"}, {.name = "other", .file = file, .sha256 = "2"}});
    ASSERT_NE(engine, nullptr);
    const auto set = engine->adapters_of(uses({{"one", 1.0F}, {"other", 0.5F}}));
    EXPECT_EQ(*set, *engine->adapters_of(uses({{"other", 0.5F}, {"one", 1.0F}})));
    EXPECT_EQ(set->uses.size(), 2U);
    EXPECT_NE(*set, *engine->adapters_of(uses({{"other", 1.0F}, {"one", 0.5F}})));
    const auto twice = engine->adapters_of(uses({{"one", 1.0F}, {"one", 0.5F}}));
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().param, "adapters[1]");
    const auto unknown = engine->adapters_of(uses({{"nobody", 1.0F}}));
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().code, base::ErrorCode::not_found);
    EXPECT_EQ(unknown.error().param, "adapters[0]");
}

TEST(Adapters, ThatCannotBeUsedSayWhyAndLeaveTheModelAlone) {
    const std::string good = write_adapter("good");
    std::ifstream stream(good, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const auto written = [](const std::string& name, const std::string& contents) {
        const std::string path = testing::TempDir() + "/" + name + ".gguf";
        std::ofstream(path, std::ios::binary) << contents;
        return path;
    };
    const auto keyed = [](const std::string& name, std::function<void(gguf_context*)> change) {
        AdapterSpec spec;
        spec.change = std::move(change);
        return write_adapter(name, spec);
    };
    const auto changed = [](const std::string& name, const std::function<void(std::vector<Tensor>&)>& change) {
        AdapterSpec spec;
        change(spec.tensors);
        return write_adapter(name, spec);
    };
    const std::vector<std::pair<std::string, std::string>> files{
        {good, ""},
        {testing::TempDir() + "/nowhere.gguf", "does not exist"},
        {written("text", "not a model at all"), "not a whole GGUF file"},
        {written("empty", ""), "not a whole GGUF file"},
        {written("short", bytes.substr(0, 300)), "not a whole GGUF file"},
        {written("cut", bytes.substr(0, bytes.size() - 1000)), "incomplete"},
        {(model_folder() / "SmolLM2-135M-Instruct.Q4_1.gguf").string(), "not the file of a LoRA adapter"},
        {keyed("control", [](auto* file) { gguf_set_val_str(file, "adapter.type", "control"); }),
         "not the file of a LoRA adapter"},
        {keyed("number", [](auto* file) { gguf_set_val_u32(file, "general.type", 7); }),
         "not the file of a LoRA adapter"},
        {keyed("gemma", [](auto* file) { gguf_set_val_str(file, "general.architecture", "gemma3"); }), "'gemma3'"},
        {keyed("alpha", [](auto* file) { gguf_set_val_str(file, "adapter.lora.alpha", "much"); }), "alpha"},
        {keyed("alora",
               [](auto* file) {
                   const std::uint32_t token = 5;
                   gguf_set_arr_data(file, "adapter.alora.invocation_tokens", GGUF_TYPE_UINT32, &token, 1);
               }),
         "aLoRA"},
        {changed("half", [](auto& tensors) { tensors.pop_back(); }), "missing"},
        {changed("none", [](auto& tensors) { tensors.clear(); }), "no tensors"},
        {changed("other", [](auto& tensors) { tensors[0].name = "blk.0.attn_q.weight"; }), "not one of an adapter"},
        {changed("layer",
                 [](auto& tensors) {
                     tensors[0].name = "blk.99.attn_q.weight.lora_a";
                     tensors[1].name = "blk.99.attn_q.weight.lora_b";
                 }),
         "does not exist in base model"},
        {changed("wide", [](auto& tensors) { tensors[0].columns = 2 * width; }), "incorrect shape"},
        {changed("rank", [](auto& tensors) { tensors[0].rows = rank / 2; }), "different ranks"},
        {changed("deep", [](auto& tensors) { tensors[0].deep = 2; }), "wrong shape"},
        {changed("whole", [](auto& tensors) { tensors[0].type = GGML_TYPE_I32; }), "cannot be used"},
    };
    std::vector<AdapterFile> adapters;
    for (const auto& [file, problem] : files) {
        adapters.push_back({.name = std::to_string(adapters.size()), .file = file});
    }
    adapters.push_back({.name = "digest", .file = good, .problem = "its SHA-256 is another"});
    auto engine = load_with(adapters);
    ASSERT_NE(engine, nullptr);
    for (std::size_t index = 0; index < files.size(); ++index) {
        const std::string problem = problem_of(*engine, static_cast<int>(index));
        EXPECT_NE(problem.find(files[index].second), std::string::npos) << files[index].first << ": " << problem;
        EXPECT_EQ(problem.empty(), files[index].second.empty()) << files[index].first << ": " << problem;
    }
    const auto refused = engine->adapters_of(uses({{"digest", 1.0F}}));
    ASSERT_FALSE(refused);
    EXPECT_NE(refused.error().message.find("SHA-256"), std::string::npos);
    EXPECT_EQ(greedy(*engine, {}, 3).size(), 3U);
    EXPECT_EQ(greedy(*engine, *engine->adapters_of(uses({{"0", 1.0F}})), 3).size(), 3U);
}

// What no list of faults has thought of: none of it may end the process, before or while it is used.
TEST(Adapters, DamagedFilesNeverEndTheWorker) {
    const std::string good = write_adapter("base");
    std::ifstream stream(good, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(stream)), {});
    const unsigned seed = std::random_device{}();
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    std::vector<AdapterFile> adapters;
    for (int number = 0; number < 60; ++number) {
        std::string damaged = bytes;
        for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
            damaged[random() % 700] = static_cast<char>(random());  // the head
        }
        const std::string file = testing::TempDir() + "/damaged" + std::to_string(number) + ".gguf";
        std::ofstream(file, std::ios::binary) << damaged;
        adapters.push_back({.name = std::to_string(number), .file = file});
    }
    auto engine = load_with(adapters);
    ASSERT_NE(engine, nullptr);
    std::string written;
    EXPECT_TRUE(engine->facts().SerializeToString(&written));
    for (const AdapterFile& each : adapters) {
        if (const auto set = engine->adapters_of(uses({{each.name.c_str(), 1.0F}}))) {
            EXPECT_EQ(greedy(*engine, *set, 1).size(), 1U);
        }
    }
}

}  // namespace
}  // namespace worker::engine::llama
