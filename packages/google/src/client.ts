/**
 * Makes clients of the SDK.
 *
 * One is made for every try, except where it signs in to Google Cloud by itself: that one holds on to its access
 * token, so it is kept as long as the adapter.
 */
import type { GoogleGenAI, GoogleGenAIOptions } from "@google/genai"
import type { AdapterCall } from "@heddle/provider-kit"
import { apiVersionOf, isVertex } from "./backend.ts"
import type { GeminiClient } from "./send.ts"
import type { GeminiRequest } from "./to-request.ts"

/** How the vendor is reached. */
export interface ClientConfig {
  readonly client?: GeminiClient | undefined
  readonly baseUrl?: string | undefined
  readonly vertexai?: boolean | undefined
  readonly project?: string | undefined
  readonly location?: string | undefined
  readonly apiVersion?: string | undefined
  readonly googleAuthOptions?: GoogleGenAIOptions["googleAuthOptions"] | undefined
}

type Sdk = Pick<typeof import("@google/genai"), "GoogleGenAI">

/** The SDK insists on a key for the Gemini API, also where none is sent. */
const NO_KEY = "none"

/** @returns a function that gives the client for a call. */
export function createClients(
  config: ClientConfig,
): (call: AdapterCall<GeminiRequest>, sdk: Sdk) => GeminiClient {
  const signedIn = new Map<string, GoogleGenAI>()
  return (call, sdk) => {
    if (config.client) return config.client
    const options = toOptions(call, config)
    if (options.apiKey !== undefined) return new sdk.GoogleGenAI(options)
    const address = call.baseUrl ?? ""
    const client = signedIn.get(address) ?? new sdk.GoogleGenAI(options)
    signedIn.set(address, client)
    return client
  }
}

function toOptions(call: AdapterCall<GeminiRequest>, config: ClientConfig): GoogleGenAIOptions {
  const vertexai = isVertex(call.model, config)
  const apiKey = call.apiKey ?? (vertexai ? undefined : NO_KEY)
  const apiVersion = config.apiVersion ?? apiVersionOf(call.baseUrl, vertexai)
  const { project, location, googleAuthOptions } = config
  return {
    vertexai,
    ...(apiKey !== undefined && { apiKey }),
    ...(vertexai && project && { project }),
    ...(vertexai && location && { location }),
    ...(vertexai && googleAuthOptions && { googleAuthOptions }),
    ...(apiVersion !== undefined && { apiVersion }),
    ...(call.baseUrl && { httpOptions: { baseUrl: call.baseUrl } }),
  }
}
