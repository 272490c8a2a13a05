/**
 * The Responses API as a StreamFn: OpenAI's own, Azure's, and that of the vendors who speak its wire.
 *
 * What a request says is `to-request.ts`, what an event means `map-event.ts`, how vendors differ `vendors.ts`,
 * what the SDK does `client.ts`; reading, retrying and abandoning are the kit's. The SDK is imported by the
 * first request.
 */
import {
  type AdapterCall,
  type AdapterConfig,
  type AdapterStreamFn,
  defineAdapter,
  readSse,
} from "@heddle/provider-kit"
import type { Model } from "@heddle/types"
import type { OpenAI } from "openai"
import { createClient, toRequestOptions } from "../client.ts"
import { type OpenAIResponsesCompat, type ResolvedCompat, resolveCompat } from "./compat.ts"
import { FAILURE_RULES } from "./failure-rules.ts"
import { createMapper, type EventMapper } from "./map-event.ts"
import { type ResponsesRequest, toRequest } from "./to-request.ts"

/** The part of the SDK's client that is used. */
type ResponsesClient = Pick<OpenAI, "responses">

/** How {@link openaiResponses} is set up. Everything is optional. */
export interface OpenAIResponsesConfig extends AdapterConfig<ResponsesClient> {
  /** What is known about the server, for every model; `model.compat` wins. */
  readonly compat?: OpenAIResponsesCompat | undefined
}

/**
 * @returns a StreamFn for models whose `api` is `"openai-responses"`. The server is the model's `baseUrl`;
 * what it understands is known by its host or by `model.provider`. Nothing is stored at the vendor: every
 * request brings the whole history.
 */
export function openaiResponses(config: OpenAIResponsesConfig = {}): AdapterStreamFn {
  const compatOf = (model: Model): ResolvedCompat =>
    resolveCompat({ ...model, baseUrl: config.baseUrl || model.baseUrl }, config.compat)
  return defineAdapter<typeof import("openai"), ResponsesRequest, Response>(
    {
      envKeys: (model) => compatOf(model).apiKeyEnv,
      needsKey: (model) => compatOf(model).requiresApiKey,
      baseUrl: (model) => compatOf(model).baseUrl,
      historyRules: (model) => ({ toolCallIds: compatOf(model).toolCallIds }),
      load: () => import("openai"),
      toRequest: (model, context, options) => toRequest(model, context, options, compatOf(model)),
      send: (call, sdk) => send(call, sdk, compatOf(call.model), config.client),
      receive: (response, builder, call) =>
        read(response, createMapper(builder, compatOf(call.model)), call.signal),
      failureRules: FAILURE_RULES,
    },
    config,
  )
}

function send(
  call: AdapterCall<ResponsesRequest>,
  sdk: typeof import("openai"),
  compat: ResolvedCompat,
  ready: ResponsesClient | undefined,
): Promise<Response> {
  const client = ready ?? createClient(call, sdk)
  const request = client.responses.create(
    // Vendors' extensions make the body wider than the SDK's type of it.
    call.payload as unknown as OpenAI.Responses.ResponseCreateParamsStreaming,
    toRequestOptions(call, compat.apiKeyHeader, ready !== undefined),
  )
  return request.asResponse()
}

/** How long a response that failed may follow the error that says so. Milliseconds. */
const ERROR_LINGER_MS = 1000

/** How long the name of a response is kept back: many that fail do so at once, and can be tried again. */
const NAME_DELAY_MS = 250

async function read(response: Response, mapper: EventMapper, abort: AbortSignal): Promise<void> {
  const enough = new AbortController()
  let naming: ReturnType<typeof setTimeout> | undefined
  let failing: ReturnType<typeof setTimeout> | undefined
  try {
    await readSse(response.body, {
      signal: AbortSignal.any([abort, enough.signal]),
      failureRules: FAILURE_RULES,
      onEvent: (event, name) => {
        const isEnd = mapper.event(event, name)
        if (mapper.isUntold) naming ??= setTimeout(() => mapper.tell(), NAME_DELAY_MS)
        if (mapper.isFailing) failing ??= setTimeout(() => enough.abort(), ERROR_LINGER_MS)
        return isEnd
      },
    })
  } catch (error) {
    // What breaks behind the vendor's last word takes nothing with it.
    if (!mapper.isFinished && !mapper.isFailing) throw error
  } finally {
    clearTimeout(naming)
    clearTimeout(failing)
  }
  if (!abort.aborted) mapper.end()
}
