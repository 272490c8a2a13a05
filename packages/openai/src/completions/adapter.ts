/**
 * Chat completions as a StreamFn: OpenAI's own, and the many servers that speak its wire.
 *
 * What a request says is `to-request.ts`, what a chunk means `map-event.ts`, how vendors differ `vendors.ts`,
 * what the SDK does `client.ts`; reading, retrying and abandoning are the kit's. The SDK is imported by the
 * first request.
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
import { createClient, toRequestOptions } from "../client.ts"
import { type OpenAICompletionsCompat, type ResolvedCompat, resolveCompat } from "./compat.ts"
import { createMapper } from "./map-event.ts"
import { type CompletionsRequest, toRequest } from "./to-request.ts"

/** The part of the SDK's client that is used. */
type CompletionsClient = Pick<OpenAI, "chat">

/** How {@link openaiCompletions} is set up. Everything is optional. */
export interface OpenAICompletionsConfig extends AdapterConfig<CompletionsClient> {
  /** What is known about the server, for every model; `model.compat` wins. */
  readonly compat?: OpenAICompletionsCompat | undefined
}

/**
 * @returns a StreamFn for models whose `api` is `"openai-completions"`. The server is the model's `baseUrl`;
 * what it understands is known by its host or by `model.provider`.
 */
export function openaiCompletions(config: OpenAICompletionsConfig = {}): AdapterStreamFn {
  const compatOf = (model: Model): ResolvedCompat =>
    resolveCompat({ ...model, baseUrl: config.baseUrl || model.baseUrl }, config.compat)
  return defineAdapter<typeof import("openai"), CompletionsRequest, Response>(
    {
      envKeys: (model) => compatOf(model).apiKeyEnv,
      needsKey: (model) => compatOf(model).requiresApiKey,
      baseUrl: (model) => compatOf(model).baseUrl,
      historyRules: (model) => ({ toolCallIds: compatOf(model).toolCallIds }),
      load: () => import("openai"),
      toRequest: (model, context, options) => toRequest(model, context, options, compatOf(model)),
      send: (call, sdk) => send(call, sdk, compatOf(call.model), config.client),
      receive: async (response, builder, call) => {
        const mapper = createMapper(builder, compatOf(call.model))
        try {
          await readSse(response.body, {
            signal: call.signal,
            onEvent: (event, name) => mapper.event(event, name),
          })
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

function send(
  call: AdapterCall<CompletionsRequest>,
  sdk: typeof import("openai"),
  compat: ResolvedCompat,
  ready: CompletionsClient | undefined,
): Promise<Response> {
  const client = ready ?? createClient(call, sdk)
  const request = client.chat.completions.create(
    // Vendors' extensions make the body wider than the SDK's type of it.
    call.payload as unknown as OpenAI.ChatCompletionCreateParamsStreaming,
    toRequestOptions(call, compat.apiKeyHeader, ready !== undefined),
  )
  return request.asResponse()
}
