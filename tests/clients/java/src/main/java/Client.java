import com.fasterxml.jackson.databind.ObjectMapper;
import com.openai.client.OpenAIClient;
import com.openai.client.okhttp.OpenAIOkHttpClient;
import com.openai.core.JsonValue;
import com.openai.core.http.StreamResponse;
import com.openai.errors.NotFoundException;
import com.openai.models.FunctionDefinition;
import com.openai.models.FunctionParameters;
import com.openai.models.ResponseFormatJsonSchema;
import com.openai.models.chat.completions.ChatCompletion;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionCreateParams;
import com.openai.models.chat.completions.ChatCompletionFunctionTool;
import com.openai.models.chat.completions.ChatCompletionMessageFunctionToolCall;
import com.openai.models.chat.completions.ChatCompletionToolChoiceOption;
import com.openai.models.images.ImageGenerateParams;
import com.openai.models.models.Model;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** java Client URL TEXT_MODEL IMAGE_MODEL: asks the server and prints what it found as JSON. */
public final class Client {
    private static ChatCompletionCreateParams.Builder ask(String model, String question) {
        return ChatCompletionCreateParams.builder()
                .model(model).addUserMessage(question).maxCompletionTokens(100).temperature(0.0);
    }

    private static Map<String, Object> objectSchema(Map<String, Object> properties) {
        return Map.of("type", "object", "properties", properties, "required", List.copyOf(properties.keySet()),
                "additionalProperties", false);
    }

    public static void main(String[] arguments) throws Exception {
        String model = arguments[1];
        OpenAIClient client = OpenAIOkHttpClient.builder()
                .baseUrl(arguments[0] + "/v1").apiKey("unused").maxRetries(0).timeout(Duration.ofMinutes(2))
                .responseValidation(true).build();
        Map<String, Object> found = new HashMap<>();

        ChatCompletionCreateParams question =
                ask(model, "Name the capital of France in one short sentence.").maxCompletionTokens(24).build();
        ChatCompletion answer = client.chat().completions().create(question);
        found.put("answer", answer.validate().choices().get(0).message().content().orElse(""));

        StringBuilder streamed = new StringBuilder();
        try (StreamResponse<ChatCompletionChunk> chunks = client.chat().completions().createStreaming(question)) {
            chunks.stream().forEach(chunk -> chunk.validate().choices().forEach(
                    choice -> choice.delta().content().ifPresent(streamed::append)));
        }
        found.put("streamed", streamed.toString());

        FunctionParameters.Builder parameters = FunctionParameters.builder();
        objectSchema(Map.of("city", Map.of("type", "string", "maxLength", 40)))
                .forEach((key, value) -> parameters.putAdditionalProperty(key, JsonValue.from(value)));
        ChatCompletionFunctionTool tool = ChatCompletionFunctionTool.builder()
                .function(FunctionDefinition.builder().name("get_weather").parameters(parameters.build()).build())
                .build();
        ChatCompletionMessageFunctionToolCall call = client.chat().completions()
                .create(ask(model, "What is the weather in Oslo?").addTool(tool)
                        .toolChoice(ChatCompletionToolChoiceOption.Auto.REQUIRED).build())
                .validate().choices().get(0).message().toolCalls().orElseThrow().get(0).asFunction();
        found.put("tool", call.function().name());
        found.put("arguments", call.function().arguments());

        ResponseFormatJsonSchema.JsonSchema.Schema.Builder person = ResponseFormatJsonSchema.JsonSchema.Schema.builder();
        objectSchema(Map.of("name", Map.of("type", "string", "maxLength", 40), "age", Map.of("type", "integer")))
                .forEach((key, value) -> person.putAdditionalProperty(key, JsonValue.from(value)));
        found.put("person", client.chat().completions()
                .create(ask(model, "Describe Ada Lovelace, who was 36 years old, as JSON.")
                        .responseFormat(ResponseFormatJsonSchema.builder()
                                .jsonSchema(ResponseFormatJsonSchema.JsonSchema.builder()
                                        .name("person").strict(true).schema(person.build()).build())
                                .build())
                        .build())
                .validate().choices().get(0).message().content().orElse(""));

        found.put("picture", client.images()
                .generate(ImageGenerateParams.builder().prompt("a red boat").model(arguments[2])
                        .size(ImageGenerateParams.Size.of("64x64"))
                        .putAdditionalBodyProperty("steps", JsonValue.from(1)).build())
                .validate().data().orElseThrow().get(0).b64Json().orElse(""));

        found.put("models", client.models().list().data().stream().map(Model::validate).map(Model::id).toList());

        try {
            client.chat().completions().create(ask("gpt-9", "Hello?").build());
        } catch (NotFoundException error) {
            found.put("error", Map.of("kind", "NotFoundException", "code", error.code().orElse("")));
        }

        System.out.println(new ObjectMapper().writeValueAsString(found));
        System.exit(0);
    }
}
