/**
 * What of a request travels to the proxy.
 *
 * The server takes nothing from a client but the model's name, the conversation and a few numbers and words, so
 * nothing else is sent: no key, no header, no function, no `details` of a tool's result. The model goes as a
 * whole (without its headers), for servers that have no list of their own.
 */
import { toJsonSchema } from "@heddle/stream"
import type { Context, Message, Model, SimpleStreamOptions } from "@heddle/types"

/** The options that mean something on the other side. */
const CARRIED = [
  "temperature",
  "maxTokens",
  "reasoning",
  "thinkingBudgets",
  "toolChoice",
  "cacheRetention",
  "sessionId",
  "metadata",
  "maxRetryDelayMs",
] as const satisfies readonly (keyof SimpleStreamOptions)[]

/**
 * @returns the body of the request, ready to be made JSON. Fresh objects down to the messages.
 * @throws {JsonSchemaUnavailableError} when a tool's schema cannot be stated.
 */
export function toProxyRequest(
  { headers: _, ...model }: Model,
  { systemPrompt, messages, tools }: Context,
  options: SimpleStreamOptions,
): object {
  return {
    model,
    context: {
      systemPrompt,
      messages: messages.map(withoutDetails),
      tools: tools?.map(({ name, description, parameters }) => ({
        name,
        description,
        parameters: toJsonSchema(parameters),
      })),
    },
    options: Object.fromEntries(CARRIED.map((name) => [name, options[name]])),
  }
}

function withoutDetails(message: Message): Message {
  if (message.role !== "toolResult") return message
  const { details: _, ...carried } = message
  return carried
}
