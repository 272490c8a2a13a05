/**
 * Chat completions as a StreamFn: OpenAI's own, and the many servers that speak its wire.
 *
 * The SDK does what it is good at (authentication, endpoints, headers, error bodies) and hands over the raw
 * response; reading it, retrying and abandoning it are the kit's. The SDK is imported by the first request.
 *
 * What a request says is `to-request.ts`, what a chunk means `map-event.ts`, how vendors differ `vendors.ts`.
 */
import {
  type AdapterCall,
  type AdapterConfig,
  type AdapterStreamFn,
  defineAdapter,
  readSse,
  StreamFailureError,
} from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import type { OpenAI } from "openai"
import { type OpenAICompletionsCompat, type ResolvedCompat, resolveCompat } from "./compat.ts"
import { createMapper } from "./map-event.ts"
import { type CompletionsRequest, toRequest } from "./to-request.ts"

/** How {@link openaiCompletions} is set up. Everything is optional. */
export interface OpenAICompletionsConfig extends AdapterConfig<Pick<OpenAI, "chat">> {
  /** What is known about the server, for every model; `model.compat` wins. */
  readonly compat?: OpenAICompletionsCompat | undefined
}

/** The longest that timers can wait. The SDK's own limit must not fire before the caller's. Milliseconds. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1

/** The SDK insists on a key, also where none is sent. */
const NO_KEY = "none"

/**
 * @returns a StreamFn for models whose `api` is `"openai-completions"`. The server is the model's `baseUrl`;
 * what it understands is known by its host or by `model.provider`.
 */
export function openaiCompletions(config: OpenAICompletionsConfig = {}): AdapterStreamFn {
  const compatOf = (model: Model): ResolvedCompat => resolveCompat(withConfig(model, config))
  return defineAdapter<typeof import("openai"), CompletionsRequest, Response>(
    {
      envKeys: (model) => compatOf(model).apiKeyEnv,
      needsKey: (model) => compatOf(model).requiresApiKey,
      baseUrl: (model) => compatOf(model).baseUrl,
      historyRules: (model) => ({ toolCallIds: compatOf(model).toolCallIds }),
      load: () => import("openai"),
      toRequest: (model, context, options) => toRequest(model, context, options, compatOf(model)),
      send: (call, sdk) => send(call, sdk, compatOf(call.model), config),
      receive: async (response, builder, call) => {
        const mapper = createMapper(builder, compatOf(call.model))
        try {
          await readSse(response.body, { signal: call.signal, onEvent: (event) => mapper.event(event) })
        } catch (error) {
          // A connection that drops behind the finish reason takes nothing but the bill with it.
          if (error instanceof StreamFailureError || !mapper.finished) throw error
        }
        mapper.end()
      },
    },
    config,
  )
}

/** The configuration stands above what is known about a host, and below what the model says of itself. */
function withConfig(model: Model, config: OpenAICompletionsConfig): Model {
  const compat = { ...config.compat, ...model.compat }
  return { ...model, baseUrl: config.baseUrl || model.baseUrl, compat }
}

function send(
  call: AdapterCall<CompletionsRequest>,
  sdk: typeof import("openai"),
  compat: ResolvedCompat,
  config: OpenAICompletionsConfig,
): Promise<Response> {
  const client = config.client ?? createClient(call, sdk)
  const request = client.chat.completions.create(
    // Vendors' extensions make the body wider than the SDK's type of it.
    call.payload as unknown as OpenAI.ChatCompletionCreateParamsStreaming,
    { headers: toHeaders(call, compat, config), signal: call.signal, maxRetries: 0 },
  )
  return request.asResponse()
}

/** Costs some microseconds, so one is made for every try, with its own fetch. */
function createClient(call: AdapterCall<CompletionsRequest>, { OpenAI }: typeof import("openai")): OpenAI {
  return new OpenAI({
    apiKey: call.apiKey ?? NO_KEY,
    adminAPIKey: null,
    baseURL: call.baseUrl,
    fetch: call.fetch,
    timeout: LONGEST_TIMEOUT_MS,
    dangerouslyAllowBrowser: true, // whether the key may be here is the application's business
    // OpenAI's organisation, from the environment, is nobody else's.
    ...(call.model.provider !== "openai" && { organization: null, project: null }),
  })
}

/** The caller's headers win over the key's. Without a key nothing is sent in its place. */
function toHeaders(
  call: AdapterCall<CompletionsRequest>,
  compat: ResolvedCompat,
  config: OpenAICompletionsConfig,
): Record<string, string | null> {
  return {
    "x-stainless-timeout": null, // the SDK's limit, which is not ours
    ...keyHeaders(call.apiKey, compat, config),
    ...call.headers,
  }
}

/** A ready client has a key of its own, which only another key replaces. */
function keyHeaders(
  apiKey: string | undefined,
  compat: ResolvedCompat,
  config: OpenAICompletionsConfig,
): Record<string, string | null> {
  if (apiKey === undefined) return config.client ? {} : { authorization: null }
  if (compat.apiKeyHeader === "api-key") return { authorization: null, "api-key": apiKey }
  return { authorization: `Bearer ${apiKey}` }
}
