// Vercel's AI SDK with one of its providers: node vercel.mjs URL TEXT_MODEL PROVIDER -> what it found, as JSON.
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { APICallError, generateObject, generateText, streamText, tool } from "ai";
import { z } from "zod";

const [url, name, provider] = process.argv.slice(2);
const baseURL = `${url}/v1`;
const apiKey = "unused";
const makers = {
  "openai": () => createOpenAI({ baseURL, apiKey }).chat,
  "openai-compatible": () => createOpenAICompatible({ name: "ours", baseURL, apiKey, includeUsage: true, supportsStructuredOutputs: true }),
  "anthropic": () => createAnthropic({ baseURL, apiKey }),
};
const make = makers[provider]();
const request = { model: make(name), maxRetries: 0, temperature: 0, maxOutputTokens: 24, prompt: "Name the capital of France in one short sentence." };
const found = {};

const answer = await generateText(request);
found.answer = answer.text;
found.usage = answer.usage;

const stream = streamText(request);
found.pieces = 0;
found.streamed = "";
for await (const piece of stream.textStream) {
  found.pieces += 1;
  found.streamed += piece;
}
found.streamedUsage = await stream.usage;

const asked = {
  ...request, prompt: "What is the weather in Oslo?", maxOutputTokens: 80, toolChoice: "required",
  tools: {
    get_weather: tool({
      description: "The weather in a city now.",
      inputSchema: z.object({ city: z.string().max(40) }),
      execute: async ({ city }) => { found.city = city; return "21 degrees"; },
    }),
  },
};
found.callReason = (await generateText(asked)).finishReason;
const calling = streamText(asked);
found.streamedCalls = (await calling.toolCalls).map((call) => call.toolName);

const formed = await generateObject({
  ...request, prompt: "Describe Ada Lovelace, who was 36 years old, as JSON.", maxOutputTokens: 120,
  schema: z.object({ name: z.string().max(40), age: z.number().int().min(0).max(150) }),
});
found.person = formed.object;

try {
  await generateText({ ...request, model: make("gpt-9") });
} catch (error) {
  found.error = { typed: APICallError.isInstance(error), status: error.statusCode, message: error.message };
}

console.log(JSON.stringify(found));
