// openai for Node: node openai.mjs URL TEXT_MODEL IMAGE_MODEL -> what it found, as JSON.
import OpenAI, { NotFoundError } from "openai";
import { zodResponseFormat } from "openai/helpers/zod";
import { z } from "zod";

const [url, model, imageModel] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: "unused", maxRetries: 0, timeout: 120_000 });
const say = (content) => [{ role: "user", content }];
const request = { model, messages: say("Name the capital of France in one short sentence."), max_tokens: 24, temperature: 0 };
const found = {};

found.answer = (await client.chat.completions.create(request)).choices[0].message.content;

found.streamed = "";
for await (const chunk of await client.chat.completions.create({ ...request, stream: true }))
  found.streamed += chunk.choices[0]?.delta.content ?? "";

const tools = [{
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string", maxLength: 40 } }, required: ["city"] },
  },
}];
const runner = client.chat.completions.runTools({
  model, messages: say("What is the weather in Oslo?"), max_tokens: 80, temperature: 0,
  tools: [{
    type: "function",
    function: { ...tools[0].function, parse: JSON.parse, function: ({ city }) => { found.city = city; return "21 degrees"; } },
  }],
  tool_choice: { type: "function", function: { name: "get_weather" } },
});
await runner.finalChatCompletion();

const person = z.object({ name: z.string().max(40), age: z.number().int().min(0).max(150) });
const parsed = await client.chat.completions.parse({
  model, messages: say("Describe Ada Lovelace, who was 36 years old, as JSON."), max_tokens: 120, temperature: 0,
  response_format: zodResponseFormat(person, "person"),
});
found.person = parsed.choices[0].message.parsed;

found.picture = (await client.images.generate({ model: imageModel, prompt: "a red boat", size: "64x64", steps: 1 })).data[0].b64_json;

try {
  await client.chat.completions.create({ ...request, model: "gpt-9" });
} catch (error) {
  found.error = { typed: error instanceof NotFoundError, code: error.code, param: error.param, requestId: error.requestID };
}

console.log(JSON.stringify(found));
