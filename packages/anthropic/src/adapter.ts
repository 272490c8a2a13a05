/**
 * The Messages API as a StreamFn: Anthropic's own, and the servers that speak its wire.
 *
 * The SDK does what it is good at (addresses, headers, error bodies) and hands over the raw response; reading
 * it, retrying and abandoning it are the kit's. The SDK is imported by the first request.
 *
 * What a request says is `to-request.ts`, what an event means `map-event.ts`, how models and servers differ
 * `vendors.ts`.
 */
import type { Anthropic } from "@anthropic-ai/sdk"
import {
  type AdapterCall,
  type AdapterConfig,
  type AdapterStreamFn,
  defineAdapter,
  readSse,
} from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import { type AnthropicMessagesCompat, type ResolvedCompat, resolveCompat } from "./compat.ts"
import { createMapper } from "./map-event.ts"
import { toHeaders } from "./request-headers.ts"
import { MOST_RESUMPTIONS, resumeTurn } from "./resume-turn.ts"
import { type MessagesRequest, toRequest } from "./to-request.ts"

/** How {@link anthropicMessages} is set up. Everything is optional. */
export interface AnthropicMessagesConfig extends AdapterConfig<Pick<Anthropic, "messages">> {
  /** A bearer token in place of a key. Keys that are tokens (`sk-ant-oat…`) are recognised without it. */
  readonly authToken?: string | undefined
  /** Added to the `anthropic-beta` header of every request. */
  readonly betas?: readonly string[] | undefined
  /**
   * Tools that the vendor runs itself, in the vendor's words, such as
   * `{ type: "web_search_20260209", name: "web_search" }`. What they do arrives as opaque blocks.
   */
  readonly serverTools?: readonly Readonly<Record<string, unknown>>[] | undefined
  /** What is known about models and server, for every model; `model.compat` wins. */
  readonly compat?: AnthropicMessagesCompat | undefined
}

/** The longest that timers can wait. The SDK's own limit must not fire before the caller's. Milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** Without a credential the SDK looks for one on disk. */
const NO_KEY = "none"

/**
 * @returns a StreamFn for models whose `api` is `"anthropic-messages"`. The server is the model's `baseUrl`;
 * what it understands is known by its host or by `model.provider`, and what the model understands by its id.
 */
export function anthropicMessages(config: AnthropicMessagesConfig = {}): AdapterStreamFn {
  const compatOf = (model: Model): ResolvedCompat => resolveCompat(withConfig(model, config))
  return defineAdapter<typeof import("@anthropic-ai/sdk"), MessagesRequest, Response>(
    {
      envKeys: (model) => compatOf(model).apiKeyEnv,
      needsKey: (model) => compatOf(model).requiresApiKey,
      baseUrl: (model) => compatOf(model).baseUrl,
      historyRules: () => ({ toolCallIds: { characters: "word", maxLength: 64 } }),
      load: () => import("@anthropic-ai/sdk"),
      toRequest: (model, context, options) =>
        toRequest(model, context, options, compatOf(model), config.serverTools),
      send: (call, sdk) => send(call, sdk, compatOf(call.model), config),
      receive: async (response, builder, call) => {
        const before = builder.message.content.length
        const mapper = createMapper(builder, call.round)
        await readSse(response.body, {
          signal: call.signal,
          onEvent: (event, name) => mapper.event(event, name),
        })
        if (mapper.end(call.round < MOST_RESUMPTIONS) === "done") return undefined
        return resumeTurn(call.payload, builder.message.content.slice(before), compatOf(call.model))
      },
    },
    { ...config, apiKey: config.apiKey?.trim() || config.authToken },
  )
}

/** The configuration stands above what is known about a host, and below what the model says of itself. */
function withConfig(model: Model, config: AnthropicMessagesConfig): Model {
  const compat = { ...config.compat, ...model.compat }
  return { ...model, baseUrl: config.baseUrl || model.baseUrl, compat }
}

function send(
  call: AdapterCall<MessagesRequest>,
  sdk: typeof import("@anthropic-ai/sdk"),
  compat: ResolvedCompat,
  config: AnthropicMessagesConfig,
): Promise<Response> {
  const client = config.client ?? createClient(call, sdk)
  const { timeoutMs } = call.options
  const timeout = config.client && timeoutMs ? timeoutMs : LONGEST_TIMEOUT_MS
  const request = client.messages.create(
    // Betas and other vendors' extensions make the body wider than the SDK's type of it.
    call.payload as unknown as Anthropic.MessageCreateParamsStreaming,
    { headers: toHeaders(call, compat, config), signal: call.signal, maxRetries: 0, timeout },
  )
  return request.asResponse()
}

/** Costs some microseconds, so one is made for every try, with its own fetch. */
function createClient(
  call: AdapterCall<MessagesRequest>,
  { Anthropic }: typeof import("@anthropic-ai/sdk"),
): Anthropic {
  return new Anthropic({
    apiKey: call.apiKey ?? NO_KEY,
    baseURL: toRoot(call.baseUrl),
    fetch: call.fetch,
    dangerouslyAllowBrowser: true, // whether the key may be here is the application's business
  })
}

/** The SDK adds `/v1/messages` itself; many write the version into the address, as other SDKs want it. */
function toRoot(baseUrl: string | undefined): string | undefined {
  return baseUrl?.replace(/\/+$/, "").replace(/\/v1$/, "")
}
