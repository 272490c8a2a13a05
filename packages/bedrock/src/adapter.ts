/**
 * Amazon Bedrock's ConverseStream as a StreamFn.
 *
 * The SDK does what it is good at (credentials, endpoints, signatures, serialising) and hands over the raw
 * response; reading it, retrying and abandoning it are ours and the kit's. The SDK is imported by the first
 * request.
 *
 * What a request says is `to-request.ts`, what an event means `map-event.ts`, how models differ `families.ts`.
 */
import type {
  BedrockRuntimeClientConfig,
  ConverseStreamCommand,
  GuardrailStreamConfiguration,
} from "@aws-sdk/client-bedrock-runtime"
import {
  type AdapterCall,
  type AdapterConfig,
  type AdapterStreamFn,
  type ByteStream,
  defineAdapter,
  type FailureRule,
  hasCredentials,
  header,
  type RequestHeaders,
  StreamFailureError,
} from "@heddle/provider-kit"
import type { AssistantMessageBuilder } from "@heddle/stream"
import type { Model } from "@heddle/types"
import { Clients } from "./client.ts"
import { type BedrockConverseCompat, type ResolvedCompat, resolveCompat } from "./compat.ts"
import type { FetchOptions } from "./fetch-handler.ts"
import { intercept, type TakenResponse } from "./intercept.ts"
import { createMapper } from "./map-event.ts"
import { mapFrame, readEvents } from "./map-frame.ts"
import { readFrames } from "./read-frames.ts"
import { toRefusal } from "./refusal.ts"
import { type ConverseRequest, toRequest } from "./to-request.ts"

/** What is used of a client: a `BedrockRuntimeClient` of the SDK is one, and so is a double of it in a test. */
export interface ConverseClient {
  send(
    command: ConverseStreamCommand,
    options?: object,
  ): Promise<{
    /** Read only where the command never reached a network, as with a double. */
    readonly stream?: AsyncIterable<object> | undefined
    readonly $metadata?: { readonly httpStatusCode?: number | undefined } | undefined
  }>
}

/** How {@link bedrockConverse} is set up. Everything is optional. */
export interface BedrockConverseConfig extends AdapterConfig<ConverseClient> {
  /**
   * The AWS region. Default: the one in the model's `baseUrl` or ARN, else what the SDK finds (`AWS_REGION`, the
   * profile).
   */
  readonly region?: string | undefined
  /** The profile in AWS's configuration files. Default: `AWS_PROFILE`, else `default`. */
  readonly profile?: string | undefined
  /** AWS credentials, or what provides them. Default: the SDK's chain. An `apiKey` wins over them. */
  readonly credentials?: BedrockRuntimeClientConfig["credentials"] | undefined
  /** The guardrail that every request passes through. */
  readonly guardrail?: GuardrailStreamConfiguration | undefined
  /** What is known about the models, for every model; `model.compat` wins. */
  readonly compat?: BedrockConverseCompat | undefined
}

type Sdk = typeof import("@aws-sdk/client-bedrock-runtime")

/** A response as the network gave it, or, of a client that is a double, events as the SDK would give them. */
type ConverseResponse = TakenResponse & { readonly events?: AsyncIterable<unknown> | undefined }

/** Bedrock ids of calls: `^[a-zA-Z0-9_-]{1,64}$`. */
const TOOL_CALL_IDS = { characters: "word", maxLength: 64 } as const

const FAILURE_RULES: readonly FailureRule[] = [
  { text: "input tokens exceeded", code: "context_overflow" }, // Nova
  // What the SDK says, before any request.
  { text: "could not load credentials", code: "auth" },
  { word: "TokenProviderError", code: "auth" },
  { text: "region not accepted", code: "invalid_request" },
  { text: "no value provided for input HTTP label", code: "invalid_request" },
]

/**
 * @returns a StreamFn for models whose `api` is `"bedrock-converse-stream"`. Requests go to the region's own
 * address, or to the model's `baseUrl`.
 */
export function bedrockConverse(config: BedrockConverseConfig = {}): AdapterStreamFn {
  const compatOf = (model: Model): ResolvedCompat => resolveCompat(model, config.compat)
  const clients = new Clients(config)
  return defineAdapter<Sdk, ConverseRequest, ConverseResponse>(
    {
      envKeys: () => (config.credentials === undefined ? ["AWS_BEARER_TOKEN_BEDROCK"] : []),
      needsKey: () => false,
      historyRules: () => ({ toolCallIds: TOOL_CALL_IDS }),
      load: () => import("@aws-sdk/client-bedrock-runtime"),
      toRequest: (model, context, options) =>
        toRequest(model, context, options, compatOf(model), config.guardrail),
      send: (call, sdk) => send(call, sdk, config, clients),
      receive,
      discard: ({ body }) => close(body),
      failureRules: FAILURE_RULES,
    },
    config,
  )
}

async function send(
  call: AdapterCall<ConverseRequest>,
  sdk: Sdk,
  config: BedrockConverseConfig,
  clients: Clients,
): Promise<ConverseResponse> {
  const { token, headers } = identify(call, config)
  const command = new sdk.ConverseStreamCommand(call.payload)
  const outcomeOf = intercept(command, headers)
  const isModelsUrl = !config.baseUrl
  const place = { modelId: call.model.id, baseUrl: call.baseUrl, isModelsUrl, token }
  const client: ConverseClient = config.client ?? clients.get(place, sdk)
  const options: FetchOptions = { abortSignal: call.signal, fetch: call.fetch }
  const output = await client.send(command, options)
  const { response, error, secrets } = outcomeOf()
  if (error !== undefined) throw error
  if (!response) {
    return { status: output.$metadata?.httpStatusCode ?? 200, headers: {}, body: null, events: output.stream }
  }
  if (response.status >= 300) throw await toRefusal(response, secrets)
  return response
}

/** Sent to the SDK, and not by it, where the caller's own headers speak for themselves. */
const NO_TOKEN = "none"

/** Who asks. The caller's headers win over the key; a ready client has its own, which only another one replaces. */
function identify(
  { apiKey, headers }: AdapterCall<ConverseRequest>,
  { client, credentials }: BedrockConverseConfig,
): { readonly token: string | undefined; readonly headers: RequestHeaders } {
  if (apiKey !== undefined) {
    return { token: apiKey, headers: { ...(client && { authorization: `Bearer ${apiKey}` }), ...headers } }
  }
  const speaks = client === undefined && credentials === undefined && hasCredentials(headers)
  return speaks
    ? { token: NO_TOKEN, headers: { authorization: null, ...headers } }
    : { token: undefined, headers }
}

async function receive(
  response: ConverseResponse,
  builder: AssistantMessageBuilder,
  call: AdapterCall<ConverseRequest>,
): Promise<undefined> {
  const mapper = createMapper(builder, header(response.headers, "x-amzn-requestid"))
  try {
    if (response.events) await readEvents(response.events, mapper, call.signal)
    else {
      await readFrames(response.body, { signal: call.signal, onFrame: (frame) => mapFrame(frame, mapper) })
    }
  } catch (error) {
    // A connection that drops behind the stop reason takes nothing but the bill with it.
    if (error instanceof StreamFailureError || !mapper.finished) throw error
  }
  if (!call.signal.aborted) mapper.end()
}

function close(body: ByteStream | null): void {
  const { cancel, destroy } = (body ?? {}) as { cancel?(): Promise<unknown>; destroy?(): void }
  if (cancel) void cancel.call(body).catch(() => {})
  else destroy?.call(body)
}
