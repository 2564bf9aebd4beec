#include "gateway/config/load.hpp"

#include "base/temporary_folder.hpp"
#include "gateway/config/reference.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <random>

namespace gateway::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> faults_of(std::string_view yaml) {
    std::vector<std::string> lines;
    const auto settings = load_text(yaml, "/etc");
    if (!settings)
        for (const schema::Fault& fault : settings.error())
            lines.push_back(std::to_string(fault.line) + " " + schema::to_string(fault));
    return lines;
}

TEST(Load, AnEmptyFileGivesTheDefaults) {
    EXPECT_EQ(load_text("", "/etc"), Settings{});
}

TEST(Load, ReadsEverySection) {
    const auto settings = load_text(R"(
server:
  host: 0.0.0.0
  port: 9000
  api_keys: [one, "2"]
  cors_origins: ["*"]
  max_body_bytes: 64MiB
  request_timeout: 1h30m
log: {level: debug, format: json}
models:
  - name: chat
    kind: text
    path: models/a.gguf
    context: 4096
    kv_type: q8_0
    flash_attention: on
  - {name: pictures, kind: image, diffusion_model: /m/d.gguf, lora_folder: loras, default: true, max_waiting: 2}
workers:
  folder: bin
metrics: {enabled: false}
docs:
)",
                                    "/etc/gateway");
    ASSERT_TRUE(settings) << describe_faults(settings.error(), "x");
    EXPECT_EQ(settings->server.host, "0.0.0.0");
    EXPECT_EQ(settings->server.port, 9000u);
    EXPECT_EQ(settings->server.api_keys[1].reveal(), "2");
    EXPECT_EQ(settings->server.max_body_bytes, schema::mebibytes(64));
    EXPECT_EQ(settings->server.request_timeout, std::chrono::minutes(90));
    EXPECT_EQ(settings->log.level, base::log::Level::debug);
    const auto& chat = std::get<TextModel>(settings->models[0]);
    EXPECT_EQ(chat.path, "/etc/gateway/models/a.gguf");
    EXPECT_EQ(chat.context, 4096u);
    EXPECT_EQ(chat.kv_type, KvType::q8_0);
    EXPECT_EQ(chat.flash_attention, FlashAttention::on);
    const auto& pictures = std::get<ImageModel>(settings->models[1]);
    EXPECT_EQ(pictures.diffusion_model, "/m/d.gguf");
    EXPECT_EQ(pictures.lora_folder, "/etc/gateway/loras");
    EXPECT_TRUE(pictures.basics.is_default);
    EXPECT_EQ(pictures.basics.max_waiting, 2u);
    EXPECT_EQ(settings->workers.folder, "/etc/gateway/bin");
    EXPECT_FALSE(settings->metrics.enabled);
    EXPECT_TRUE(settings->docs.enabled);
}

TEST(Load, ReadsAdapters) {
    const auto settings = load_text(R"(
models:
  - name: chat
    kind: text
    path: a.gguf
    adapters:
      - {name: sql, path: lora/sql.gguf, scale: 0.5}
      - {name: law, path: /l.gguf}
)",
                                    "/etc/gateway");
    ASSERT_TRUE(settings) << describe_faults(settings.error(), "x");
    const auto& adapters = std::get<TextModel>(settings->models[0]).adapters;
    ASSERT_EQ(adapters.size(), 2u);
    EXPECT_EQ(adapters[0].path, "/etc/gateway/lora/sql.gguf");
    EXPECT_EQ(adapters[0].scale, 0.5);
    EXPECT_EQ(adapters[1].scale, 1);
}

TEST(Load, NamesOfAdaptersMakeNamesThatNobodyElseHas) {
    const std::string taken = R"(models:
  - name: chat
    kind: text
    path: a.gguf
    adapters:
      - {name: sql, path: x}
      - {name: sql, path: y}
  - {name: "chat:sql", kind: text, path: b.gguf}
)";
    EXPECT_THAT(faults_of(taken),
                ElementsAre(HasSubstr("7 models[0].adapters[1].name"), HasSubstr("8 models[1].name")));
    EXPECT_THAT(faults_of(taken + R"(  - name: other
    kind: text
    path: a.gguf
    adapters:
      - {name: "a:b", path: x}
      - {name: fine, path: x, sha256: abc}
)"),
                ElementsAre(HasSubstr("13 models[2].adapters[0].name"), HasSubstr("14 models[2].adapters[1].sha256")));
}

TEST(Load, ListsEveryFaultWithItsLine) {
    EXPECT_THAT(faults_of(R"(server:
  prot: 80
  port: 70000
  drain_timeout: 30
log:
  level: loud
modles: []
models:
  - name: a
    kind: text
    taesd: x
  - name: b c
    kind: sound
  - name: c
    kind: image
    path: ""
)"),
                ElementsAre("3 server.port: must be at most 65535, not 70000",  //
                            "4 server.drain_timeout: must be a duration with a unit, such as \"250ms\", \"30s\", "
                            "\"10m\" or \"1h30m\", not 30",
                            "2 server.prot: is not known here; did you mean \"port\"?",
                            "6 log.level: must be one of \"debug\", \"info\", \"warning\" or \"error\", not \"loud\"",
                            "9 models[0].path: is required",
                            testing::StartsWith("11 models[0].taesd: is not known here; there is \"kind\", \"name\", "),
                            "13 models[1].kind: must be one of \"text\" or \"image\", not \"sound\"",
                            "16 models[2].path: must have at least 1 character, not 0",
                            "7 modles: is not known here; did you mean \"models\"?"));
}

TEST(Load, ChecksModelsAgainstEachOther) {
    EXPECT_THAT(faults_of(R"(models:
  - {name: a, kind: text, path: p, default: true}
  - {name: a, kind: image, path: q, default: true}
  - {name: b, kind: text, path: r, default: true}
)"),
                ElementsAre("3 models[1].name: is the name of models[0] too",
                            "4 models[2].default: is set for models[0] of this kind too"));
}

TEST(Load, ChecksValuesAgainstEachOther) {
    EXPECT_THAT(faults_of("workers: {backoff_initial: 1m, backoff_max: 1s}"),
                ElementsAre("1 workers.backoff_max: must not be less than backoff_initial"));
    EXPECT_THAT(faults_of("models: [{name: a, kind: image}]"),
                ElementsAre("1 models[0].path: is required, or else diffusion_model"));
    EXPECT_THAT(faults_of("models: [{name: a, kind: text, path: p, kv_type: q4_0, flash_attention: off}]"),
                ElementsAre("1 models[0].flash_attention: must not be \"off\" with a kv_type other than \"f16\""));
}

TEST(Load, ADraftModelIsAFileOrTheNameOfAnotherModel) {
    const auto settings = load_text(R"(
models:
  - {name: small, kind: text, path: small.gguf}
  - {name: large, kind: text, path: large.gguf, draft_model: small}
  - {name: other, kind: text, path: other.gguf, draft_model: tiny/a.gguf}
)",
                                    "/m");
    ASSERT_TRUE(settings) << describe_faults(settings.error(), "x");
    EXPECT_EQ(std::get<TextModel>(settings->models[1]).draft_model, "/m/small.gguf");
    EXPECT_EQ(std::get<TextModel>(settings->models[2]).draft_model, "/m/tiny/a.gguf");
    EXPECT_THAT(faults_of("models:\n  - {name: a, kind: text, path: /a, speculation: off, draft_model: /d}"),
                ElementsAre(HasSubstr("models[0].draft_model: must not be there with speculation")));
}

TEST(Load, ClientsAreKeysWithNamesAndShares) {
    const auto settings = load_text(R"(server:
  api_keys: [plain]
  clients:
    - {name: batch, key: one, weight: 0.5, priority: -1, max_concurrent: 2}
    - {name: chat, key: two}
)",
                                    "/");
    ASSERT_TRUE(settings);
    const auto& clients = settings->server.clients;
    ASSERT_EQ(clients.size(), 2u);
    EXPECT_EQ(clients[0].key.reveal(), "one");
    EXPECT_EQ(clients[0].weight, 0.5);
    EXPECT_EQ(clients[0].priority, -1);
    EXPECT_EQ(clients[0].max_concurrent, 2u);
    EXPECT_EQ(clients[1].weight, 1);
    EXPECT_THAT(faults_of(R"(server:
  clients:
    - {name: a, key: hunter2}
    - {name: a, key: hunter2}
)"),
                ElementsAre("4 server.clients[1].name: is the name of clients[0] too",
                            "4 server.clients[1].key: is the key of clients[0] too"));
    // Names that the gateway gives to plain keys.
    EXPECT_THAT(faults_of(R"(server: {clients: [{name: "#1", key: x}]})"),
                ElementsAre(testing::StartsWith("1 server.clients[0].name: must match")));
}

TEST(Load, AFaultNeverShowsAKey) {
    for (const auto yaml :
         {"server: {api_keys: hunter2}", "server: {api_keys: [[hunter2]]}", "server: {api_keys: [42]}"})
        for (const std::string& line : faults_of(yaml)) {
            EXPECT_EQ(line.find("hunter2"), std::string::npos) << line;
            EXPECT_EQ(line.find("42"), std::string::npos) << line;
        }
    EXPECT_EQ(faults_of("server: {api_keys: hunter2}").size(), 1u);
}

TEST(Load, AddsTheKeysOfTheKeyFile) {
    base::TemporaryFolder folder;
    folder.write("keys.txt", "# ours\n  first \n\nsecond # the new one\n");
    const auto file = folder.write("gateway.yaml", "server: {api_keys: [zero], api_keys_file: keys.txt}");
    const auto settings = load_file(file);
    ASSERT_TRUE(settings);
    EXPECT_THAT(settings->server.api_keys,
                ElementsAre(schema::Secret("zero"), schema::Secret("first"), schema::Secret("second")));
    EXPECT_THAT(faults_of("server:\n  api_keys_file: /nowhere/keys"),
                ElementsAre("2 server.api_keys_file: cannot be read: /nowhere/keys"));
}

TEST(Load, AKeyFileWithoutKeysDoesNotOpenTheServer) {
    base::TemporaryFolder folder;
    const auto keys = folder.write("keys.txt", "# none yet\n");
    EXPECT_THAT(faults_of("server:\n  api_keys_file: " + keys.string()),
                ElementsAre("2 server.api_keys_file: has no key in it: " + keys.string()));
}

TEST(Load, DamagedFilesGiveFaultsAndNeverMore) {
    const std::string good = example();
    const std::string_view pieces[] = {"\t", ": ",   "- ", "[",   "}",    "\"",   "&a ",
                                       "*a", "!!x ", "? ", "|\n", "\xff", "<<: ", "%"};
    std::mt19937 random(5);
    int refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::string text = good;
        for (auto n = 1 + random() % 3; n > 0; --n)
            text.replace(random() % text.size(), random() % 9, pieces[random() % std::size(pieces)]);
        const auto settings = load_text(text, "/etc");
        refused += !settings;
        ASSERT_TRUE(settings || !settings.error().empty()) << text;
    }
    EXPECT_GT(refused, 50);
}

TEST(Check, SaysOkWhenTheFileAndItsModelsAreThere) {
    base::TemporaryFolder folder;
    folder.write("a.gguf", "");
    const auto report = check_file(folder.write("g.yaml", "models: [{name: a, kind: text, path: a.gguf}]"));
    EXPECT_EQ(report.exit_status, 0);
    EXPECT_THAT(report.text, testing::EndsWith("g.yaml: ok, 1 model\n"));
}

TEST(Check, NamesFileLineAndPathOfEveryFault) {
    base::TemporaryFolder folder;
    const auto report = check_file(folder.write("g.yaml", "\nserver: {port: x}\nlogs: {}\n"));
    EXPECT_EQ(report.exit_status, 1);
    EXPECT_THAT(report.text, HasSubstr("g.yaml:2: server.port: must be an integer, not \"x\"\n"));
    EXPECT_THAT(report.text, HasSubstr("g.yaml:3: logs: is not known here; did you mean \"log\"?\n"));
}

TEST(Check, NamesModelFilesThatAreMissing) {
    base::TemporaryFolder folder;
    const auto report = check_file(folder.write("g.yaml", "models: [{name: a, kind: text, path: a.gguf}]"));
    EXPECT_EQ(report.exit_status, 1);
    EXPECT_THAT(report.text, HasSubstr("models[0]: a: there is no " + (folder.path() / "a.gguf").string()));
}

TEST(Check, AFileThatIsNotThereIsAFault) {
    EXPECT_EQ(check_file("/nowhere/g.yaml").text, "/nowhere/g.yaml: cannot be read\n");
    EXPECT_EQ(check_file("/").exit_status, 1);
}

}  // namespace
}  // namespace gateway::config
