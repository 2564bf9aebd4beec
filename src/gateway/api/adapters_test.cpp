#include "gateway/api/adapters.hpp"

#include <gmock/gmock.h>
#include <boost/json/parse.hpp>

#include "gateway/api/test_support.hpp"

namespace gateway::api {
namespace {

namespace contract = llm_gateway::engine::v1;
using namespace gateway::api::test;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

FixedCatalogue catalogue() {
    FixedCatalogue models;
    models.list = {text_model("talker"), text_model("talker:7b"), image_model()};
    for (std::size_t model : {0U, 1U}) {
        models.list[model].adapters = {{.name = "sql", .scale = 0.5F}};
        auto& text = *models.list[model].facts->mutable_text();
        text.set_embeddings(true);
        text.set_embedding_size(3);
        text.add_adapters()->set_name("sql");
    }
    models.list[0].adapters.push_back({.name = "poems", .scale = 1});
    models.list[0].facts->mutable_text()->add_adapters()->set_problem("it is not the file of a LoRA adapter");
    return models;
}

Asked ask_with(std::string path, std::string body, std::vector<Event> script = {}) {
    if (script.empty())
        script = {text("hi"), choice_finished(contract::STOP), finished()};
    return ask(
        {.path = std::move(path), .body = std::move(body), .script = std::move(script), .catalogue = catalogue()});
}

Asked ask_chat_of(const std::string& model, const std::string& fields = {}, std::vector<Event> script = {}) {
    return ask_with("/v1/chat/completions",
                    R"({"messages": [{"role": "user", "content": "hi"}], "model": ")" + model + "\"" + fields + "}",
                    std::move(script));
}

boost::json::value json(const Asked& asked) {
    return boost::json::parse(asked.answer.body);
}

std::vector<std::string> used(const AdapterUses& uses) {
    std::vector<std::string> list;
    for (const auto& use : uses)
        list.push_back(use.name() + "*" + std::to_string(use.scale()).substr(0, 4));
    return list;
}

std::vector<std::string> used_by_chat(const Asked& asked) {
    return asked.jobs.size() == 1 ? used(asked.jobs[0].text().adapters()) : std::vector<std::string>{"no job"};
}

std::string param_of(const Asked& asked) {
    const auto error = json(asked).at("error").as_object();
    return error.at("param").is_null() ? "" : std::string(error.at("param").as_string().c_str());
}

TEST(FindNamed, KnowsModelsAndTheirAdapters) {
    const auto id = [](const std::string& name) {
        const auto found = find_named(catalogue(), backends::ModelName(name));
        return found ? found->id() : "";
    };
    EXPECT_EQ(id("talker"), "talker");
    EXPECT_EQ(id("talker:sql"), "talker:sql");
    EXPECT_EQ(id("talker:7b"), "talker:7b");
    EXPECT_EQ(id("talker:7b:sql"), "talker:7b:sql");
    EXPECT_EQ(id("poems"), "talker:poems");
    EXPECT_EQ(id("sql"), "") << "two models have it";
    EXPECT_EQ(id("talker:7b:poems"), "");
    EXPECT_EQ(id("painter:sql"), "");
    EXPECT_EQ(id(""), "");
    EXPECT_EQ(id(":"), "");
}

TEST(Adapters, AreUsedByTheNameOfTheModel) {
    EXPECT_THAT(used_by_chat(ask_chat_of("talker")), IsEmpty());
    const auto asked = ask_chat_of("talker:sql");
    EXPECT_EQ(asked.answer.status, 200);
    EXPECT_THAT(used_by_chat(asked), ElementsAre("sql*0.50"));
    EXPECT_EQ(json(asked).at("model"), "talker:sql");
    EXPECT_THAT(asked.observed, Contains(HasSubstr("talker:sql")));
    EXPECT_EQ(json(ask_chat_of("poems")).at("model"), "talker:poems");
}

TEST(Adapters, AreUsedByNumberAndByNameWithAnyScale) {
    EXPECT_THAT(used_by_chat(ask_chat_of("talker", R"(, "lora": [{"id": 0, "scale": 0.25}])")),
                ElementsAre("sql*0.25"));
    EXPECT_THAT(used_by_chat(ask_chat_of("talker", R"(, "lora": [{"id": "poems"}, {"id": "sql"}])")),
                ElementsAre("poems*1.00", "sql*0.50"));
    EXPECT_THAT(used_by_chat(ask_chat_of("talker", R"(, "lora": [])")), IsEmpty());
    EXPECT_EQ(json(ask_chat_of("talker", R"(, "lora": [{"id": 0}])")).at("model"), "talker");
}

TEST(Adapters, AreTakenByEveryEndpointThatEvaluates) {
    const std::string lora = R"("lora": [{"id": 1, "scale": 2}])";
    const auto completion = ask_with("/v1/completions", R"({"model": "talker", "prompt": ["a", "b"], )" + lora + "}");
    ASSERT_EQ(completion.jobs.size(), 2U);
    EXPECT_THAT(used(completion.jobs[1].text().adapters()), ElementsAre("poems*2.00"));
    const auto response =
        ask_with("/v1/responses", R"({"model": "talker", "input": "a", "store": false, )" + lora + "}");
    EXPECT_THAT(used_by_chat(response), ElementsAre("poems*2.00"));
    const auto message = ask_with("/v1/messages", R"({"model": "talker", "max_tokens": 5,
        "messages": [{"role": "user", "content": "a"}], )" +
                                                      lora + "}");
    EXPECT_THAT(used_by_chat(message), ElementsAre("poems*2.00"));
    const auto vector = ask_with("/v1/embeddings", R"({"model": "talker", "input": "a", )" + lora + "}",
                                 {embedding(0, {1, 2, 3}), finished()});
    ASSERT_EQ(vector.jobs.size(), 1U);
    EXPECT_THAT(used(vector.jobs[0].embedding().adapters()), ElementsAre("poems*2.00"));
    const std::pair<const char*, const char*> bodies[] = {
        {"/v1/completions", R"("prompt": "a")"},
        {"/v1/responses", R"("input": "a", "store": false)"},
        {"/v1/messages", R"("messages": [{"role": "user", "content": "a"}], "max_tokens": 5)"},
        {"/v1/embeddings", R"("input": "a")"}};
    for (const auto& [path, body] : bodies) {
        const auto asked = ask_with(path, std::string(R"({"model": "talker:sql", )") + body + "}",
                                    {text("hi"), embedding(0, {1, 2, 3}), choice_finished(contract::STOP), finished()});
        EXPECT_EQ(asked.answer.status, 200) << path << asked.answer.body;
        EXPECT_EQ(json(asked).at("model"), "talker:sql") << path;
    }
}

TEST(Adapters, ThatAreNotThereAreNamed) {
    const std::pair<const char*, const char*> cases[] = {
        {R"("lora": [{"id": 2}])", "lora[0].id"},
        {R"("lora": [{"id": 0}, {"id": "verse"}])", "lora[1].id"},
        {R"("lora": [{"id": 0}, {"id": "sql"}])", "lora[1].id"},
        {R"("lora": [{"id": -1}])", "lora[0].id"},
        {R"("lora": [{"id": 0.5}])", "lora[0].id"},
        {R"("lora": [{"id": null}])", "lora[0].id"},
        {R"("lora": [{}])", "lora[0].id"},
        {R"("lora": [{"id": 0, "scale": "much"}])", "lora[0].scale"},
        {R"("lora": [{"id": 0, "scale": 1e9}])", "lora[0].scale"},
        {R"("lora": {"id": 0})", "lora"},
        {R"("lora": [7])", "lora[0]"},
    };
    for (const auto& [fields, param] : cases) {
        const auto asked = ask_chat_of("talker", std::string(", ") + fields);
        EXPECT_EQ(asked.answer.status, 400) << fields;
        EXPECT_EQ(param_of(asked), param) << fields;
        EXPECT_THAT(asked.jobs, IsEmpty());
    }
    const auto both = ask_chat_of("talker:sql", R"(, "lora": [{"id": 0}])");
    EXPECT_EQ(both.answer.status, 400);
    EXPECT_EQ(param_of(both), "lora");
    const auto unknown = ask_chat_of("talker:verse");
    EXPECT_EQ(unknown.answer.status, 404);
    EXPECT_EQ(param_of(unknown), "model");
}

TEST(Adapters, ThatCouldNotBeLoadedAreNotFound) {
    const Event refused = failed(contract::NOT_FOUND, "The adapter `poems` could not be loaded.", "adapters[0]");
    const auto by_name = ask_chat_of("talker:poems", "", {refused});
    EXPECT_EQ(by_name.answer.status, 404);
    EXPECT_EQ(param_of(by_name), "model");
    const auto by_field = ask_chat_of("talker", R"(, "lora": [{"id": 1}])", {refused});
    EXPECT_EQ(by_field.answer.status, 404);
    EXPECT_EQ(param_of(by_field), "lora[0].id");
}

TEST(Adapters, AreListedAsModels) {
    const auto asked = ask({.method = http::Method::get, .path = "/v1/models", .catalogue = catalogue()});
    std::vector<std::string> ids;
    const auto list = json(asked).at("data").as_array();
    for (const auto& model : list)
        ids.emplace_back(model.at("id").as_string());
    EXPECT_THAT(ids, ElementsAre("talker", "talker:sql", "talker:poems", "talker:7b", "talker:7b:sql", "painter"));
    const auto show = [](const std::string& name) {
        return json(ask({.method = http::Method::get, .path = "/v1/models/" + name, .catalogue = catalogue()}));
    };
    const auto base = show("talker");
    EXPECT_EQ(base.at("root"), "talker");
    EXPECT_FALSE(base.as_object().contains("parent"));
    EXPECT_EQ(base.at("text").at("adapters"), (boost::json::array{"sql", "poems"}));
    const auto sql = show("talker:sql");
    EXPECT_EQ(sql.at("root"), "talker");
    EXPECT_EQ(sql.at("parent"), "talker");
    EXPECT_EQ(sql.at("state"), "ready");
    const auto broken = show("poems");
    EXPECT_EQ(broken.at("id"), "talker:poems");
    EXPECT_EQ(broken.at("state"), "failed");
    EXPECT_EQ(broken.at("problem"), "it is not the file of a LoRA adapter");
}

}  // namespace
}  // namespace gateway::api
