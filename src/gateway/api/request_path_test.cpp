#include "gateway/api/request_path.hpp"

#include <gtest/gtest.h>

#include "gateway/api/chat/to_job.hpp"
#include "gateway/api/images/to_job.hpp"

namespace gateway::api {
namespace {

TEST(RequestPath, NamesTheFieldOfTheChatRequest) {
    const std::pair<const char*, const char*> cases[] = {
        {"chat.messages", "messages"},
        {"chat.messages[3].tool_calls[1].arguments", "messages[3].tool_calls[1].function.arguments"},
        {"chat.messages[0].content[2].image", "messages[0].content[2].image_url.url"},
        {"chat.tools[4].parameters_schema", "tools[4].function.parameters"},
        {"chat.tool_choice.name", "tool_choice"},
        {"chat.template_arguments.enable_thinking", "chat_template_kwargs.enable_thinking"},
        {"sampling.dynamic_temperature_range", "dynatemp_range"},
        {"sampling.temperature", "temperature"},
        {"choices", "n"},
        {"choicest", "choicest"},
        {"stop[1]", "stop[1]"},
        {"", ""},
    };
    for (const auto& [job, request] : cases)
        EXPECT_EQ(chat::to_request_path(job), request);
}

TEST(RequestPath, NamesTheFieldOfTheImageRequest) {
    EXPECT_EQ(images::to_request_path("width"), "size");
    EXPECT_EQ(images::to_request_path("distilled_guidance"), "guidance");
    EXPECT_EQ(images::to_request_path("loras[0].name"), "loras[0].name");
}

}  // namespace
}  // namespace gateway::api
