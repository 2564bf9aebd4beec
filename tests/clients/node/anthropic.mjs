// @anthropic-ai/sdk for Node: node anthropic.mjs URL TEXT_MODEL -> what it found, as JSON.
import Anthropic from "@anthropic-ai/sdk";

const [baseURL, model] = process.argv.slice(2);
const client = new Anthropic({ baseURL, apiKey: "unused", maxRetries: 0, timeout: 120_000 });
const say = (content) => [{ role: "user", content }];
const request = { model, messages: say("Name the capital of France in one short sentence."), max_tokens: 24, temperature: 0 };
const schema = (properties) => ({
  type: "object", properties, required: Object.keys(properties), additionalProperties: false,
});
const found = {};

const answer = await client.messages.create(request);
found.answer = answer.content[0].text;
found.stopReason = answer.stop_reason;
found.requestId = answer._request_id;

const stream = client.messages.stream(request);
found.streamed = "";
stream.on("text", (text) => { found.streamed += text; });
found.collected = (await stream.finalMessage()).content[0].text;

const tools = [{ name: "get_weather", input_schema: schema({ city: { type: "string", maxLength: 40 } }) }];
const asked = { model, messages: say("What is the weather in Oslo?"), tools, max_tokens: 80, temperature: 0 };
const calling = client.messages.stream({ ...asked, tool_choice: { type: "tool", name: "get_weather" } });
const called = await calling.finalMessage();
found.callReason = called.stop_reason;
found.city = called.content.at(-1).input.city;
const result = { type: "tool_result", tool_use_id: called.content.at(-1).id, content: "21 degrees" };
const last = await client.messages.create({
  ...asked, tool_choice: { type: "none" },
  messages: [...asked.messages, { role: "assistant", content: called.content }, { role: "user", content: [result] }],
});
found.afterwards = last.content[0].text;

const formed = await client.messages.create({
  ...request, messages: say("Describe Ada Lovelace, who was 36 years old, as JSON."), max_tokens: 120,
  output_config: {
    format: {
      type: "json_schema",
      schema: schema({ name: { type: "string", maxLength: 40 }, age: { type: "integer", minimum: 0, maximum: 150 } }),
    },
  },
});
found.person = JSON.parse(formed.content[0].text);

found.counted = (await client.messages.countTokens({ model, messages: request.messages })).input_tokens;
found.counts = answer.usage.input_tokens + answer.usage.cache_read_input_tokens;

try {
  await client.messages.create({ ...request, model: "gpt-9" });
} catch (error) {
  found.error = { typed: error instanceof Anthropic.NotFoundError, type: error.error.error.type, requestId: error.requestID };
}

console.log(JSON.stringify(found));
