// What the official Node client makes of the gateway, as one JSON object on standard output.
// usage: node client.mjs BASE_URL CHAT_MODEL TOOLS_MODEL IMAGE_MODEL
import OpenAI, { toFile } from "openai";

const [baseURL, chatModel, toolsModel, imageModel] = process.argv.slice(2);
const client = new OpenAI({ baseURL, apiKey: "unused", maxRetries: 0, timeout: 120_000 });
const messages = [{ role: "user", content: "Name the capital of France in one short sentence." }];
const found = {};

found.models = (await client.models.list()).data.map((model) => model.id);

const whole = await client.chat.completions.create({ model: chatModel, messages, max_tokens: 24, temperature: 0 });
found.text = whole.choices[0].message.content;
found.finishReason = whole.choices[0].finish_reason;

const pieces = await client.chat.completions.create({
  model: chatModel, messages, max_tokens: 24, temperature: 0, stream: true, stream_options: { include_usage: true },
});
found.streamed = "";
for await (const chunk of pieces) {
  found.streamed += chunk.choices[0]?.delta.content ?? "";
  if (chunk.usage) found.usage = chunk.usage;
}

// The client's own collector is strict about the shape of chunks.
const runner = client.chat.completions.stream({ model: chatModel, messages, max_tokens: 24, temperature: 0 });
found.collected = (await runner.finalChatCompletion()).choices[0].message.content;

const tools = [{
  type: "function",
  function: {
    name: "get_weather",
    parameters: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
}];
const calling = client.chat.completions.stream({
  model: toolsModel, messages: [{ role: "user", content: "What is the weather in Oslo?" }], tools,
  tool_choice: "required", max_tokens: 200, temperature: 0,
});
const call = (await calling.finalChatCompletion()).choices[0];
found.toolFinishReason = call.finish_reason;
found.toolName = call.message.tool_calls[0].function.name;
found.toolArguments = JSON.parse(call.message.tool_calls[0].function.arguments);

const picture = await client.images.generate({ model: imageModel, prompt: "a red boat", size: "128x64", steps: 2 });
found.picture = picture.data[0].b64_json;

const file = () => toFile(Buffer.from(found.picture, "base64"), "boat.png", { type: "image/png" });
const edited = await client.images.edit({
  model: imageModel, image: [await file()], prompt: "a blue boat", steps: 2, response_format: "url",
});
found.edited = Buffer.from(await (await fetch(edited.data[0].url)).arrayBuffer()).toString("base64");
const varied = await client.images.createVariation({ model: imageModel, image: await file(), n: 2, steps: 2 });
found.varied = varied.data.map((one) => one.b64_json);
found.editEvents = [];
for await (const event of await client.images.edit({
  model: imageModel, image: await file(), prompt: "a blue boat", steps: 4, strength: 1, stream: true, partial_images: 1,
})) found.editEvents.push(event.type);

try {
  await client.chat.completions.create({ model: "gpt-9", messages });
} catch (error) {
  found.notFound = { kind: error.constructor.name, status: error.status, param: error.param, requestId: error.requestID };
}

const leaving = await client.chat.completions.create({ model: chatModel, messages, max_tokens: 2000, stream: true });
for await (const _ of leaving) {
  leaving.controller.abort();
  break;
}
found.left = true;

console.log(JSON.stringify(found));
