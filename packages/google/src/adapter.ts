/**
 * Gemini as a StreamFn: the Gemini API, and Vertex AI through the same SDK.
 *
 * The SDK is imported by the first request and does what it is good at, addresses and credentials; what goes over
 * the wire is written and read here (`send.ts` says why). Retrying and abandoning requests is the kit's.
 *
 * What a request says is `to-request.ts`, what a chunk means `map-event.ts`, how models differ `families.ts`.
 */
import type { GoogleGenAIOptions } from "@google/genai"
import {
  type AdapterConfig,
  type AdapterStreamFn,
  defineAdapter,
  type HistoryRules,
} from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import type { Model } from "@heddle/types"
import { envKeys, isVertex } from "./backend.ts"
import { createClients } from "./client.ts"
import { type GoogleGenerativeAiCompat, type ResolvedCompat, resolveCompat } from "./compat.ts"
import { FAILURE_RULES } from "./failure-rules.ts"
import { createMapper, type ResponseMapper } from "./map-event.ts"
import { readResponse } from "./read-response.ts"
import { type GeminiClient, type GeminiResponse, send } from "./send.ts"
import { type GeminiRequest, type SafetySetting, toRequest } from "./to-request.ts"

/** How {@link googleGenerativeAi} is set up. Everything is optional. */
export interface GoogleGenerativeAiConfig extends AdapterConfig<GeminiClient> {
  /** Whether requests go to Vertex AI. Default: the model's provider is `google-vertex`, or its address is Vertex's. */
  readonly vertexai?: boolean | undefined
  /** Vertex: whose project. Default: `GOOGLE_CLOUD_PROJECT`. */
  readonly project?: string | undefined
  /** Vertex: where. Default: `GOOGLE_CLOUD_LOCATION`, else `global`. */
  readonly location?: string | undefined
  /** Vertex without a key: how to sign in, for Google's authentication library. Default: its own. */
  readonly googleAuthOptions?: GoogleGenAIOptions["googleAuthOptions"] | undefined
  /** Default: none for an address that ends in one, else `v1beta`; on Vertex AI the SDK's own. */
  readonly apiVersion?: string | undefined
  /** Sent with every request. Default: Google's. */
  readonly safetySettings?: readonly SafetySetting[] | undefined
  /**
   * The name of a cached content that every request begins with. It holds the system prompt and the tools, so
   * those of the context are not sent.
   */
  readonly cachedContent?: string | undefined
  /** What is known about the models; `model.compat` wins. */
  readonly compat?: GoogleGenerativeAiCompat | undefined
}

/** What Google takes as an id where every call has to have one. */
const STRICT_IDS: HistoryRules = { toolCallIds: { characters: "word", maxLength: 64 } }

/** An answer of a million tokens takes 32 requests at most. */
const MOST_ROUNDS = 64

/**
 * @returns a StreamFn for models whose `api` is `"google-generative-ai"`. Models of the provider `google-vertex`
 * are reached through Vertex AI, all others through the Gemini API.
 */
export function googleGenerativeAi(config: GoogleGenerativeAiConfig = {}): AdapterStreamFn {
  const compatOf = (model: Model): ResolvedCompat => resolveCompat(model, config.compat)
  const clientFor = createClients(config)
  /** An answer may take several requests, and a block may begin in one and end in the next. */
  const mappers = new WeakMap<AssistantMessageBuilder, ResponseMapper>()
  return defineAdapter<typeof import("@google/genai"), GeminiRequest, GeminiResponse>(
    {
      envKeys: (model) => envKeys(model, config),
      needsKey: (model) => !isVertex(model, config),
      historyRules: (model) => (compatOf(model).toolCallIds === "always" ? STRICT_IDS : {}),
      load: () => import("@google/genai"),
      toRequest: (model, context, options) =>
        toRequest(model, context, options, {
          compat: compatOf(model),
          isVertex: isVertex(model, config),
          safetySettings: config.safetySettings,
          cachedContent: config.cachedContent,
        }),
      // A promise in any case: the SDK's constructor may throw.
      send: async (call, sdk) => send(call, clientFor(call, sdk), config.client !== undefined),
      receive: async (response, builder, call) => {
        const mapper = (call.round > 0 && mappers.get(builder)) || createMapper(builder)
        mappers.set(builder, mapper)
        const continuationToken = await receive(response, mapper, call.signal, call.round < MOST_ROUNDS)
        return continuationToken === undefined ? undefined : { ...call.payload, continuationToken }
      },
      discard: (response) => {
        if (!("chunks" in response)) void response.body?.cancel().catch(() => {})
      },
      failureRules: FAILURE_RULES,
    },
    config,
  )
}

/** @returns the token of an answer that goes on in another request. */
async function receive(
  response: GeminiResponse,
  mapper: ResponseMapper,
  signal: AbortSignal,
  canContinue: boolean,
): Promise<string | undefined> {
  try {
    const error = await readResponse(response, signal, (chunk) => mapper.event(chunk))
    if (error) throw error
    return mapper.end(canContinue)
  } catch (error) {
    mapper.interrupt()
    throw error
  }
}
