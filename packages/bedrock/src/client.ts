/**
 * Makes clients of the SDK: one for each region, address and key, kept because finding credentials is slow.
 *
 * A key of Bedrock's own is sent as a bearer token. Without one the SDK looks for credentials as every AWS tool
 * does: environment, profile, single sign-on, the role of the machine.
 */
import type { BedrockRuntimeClient, BedrockRuntimeClientConfig } from "@aws-sdk/client-bedrock-runtime"
import { StreamFailureError } from "@heddle/provider-kit"
import { fetchHandler } from "./fetch-handler.ts"

type Sdk = typeof import("@aws-sdk/client-bedrock-runtime")

/** Where requests go, and as whom. */
export interface ClientNeeds {
  readonly modelId: string
  /** Absent: the SDK's own for the region. */
  readonly baseUrl: string | undefined
  /** The address is the model's, and not the adapter's own. */
  readonly isModelsUrl: boolean
  /** A key of Bedrock's own. Absent: AWS credentials. */
  readonly token: string | undefined
}

/** What the adapter's configuration says. */
export interface ClientSettings {
  readonly region?: string | undefined
  readonly profile?: string | undefined
  readonly credentials?: BedrockRuntimeClientConfig["credentials"] | undefined
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Only the signature has a region where the address has none. */
const ANY_REGION = "us-east-1"

/** One process talks to few places; a server that passes on its users' keys to many. */
const MOST_CLIENTS = 16

export class Clients {
  readonly #settings: ClientSettings
  readonly #clients = new Map<string, BedrockRuntimeClient>()

  constructor(settings: ClientSettings) {
    this.#settings = settings
  }

  get(needs: ClientNeeds, sdk: Sdk): BedrockRuntimeClient {
    const place = this.#place(needs)
    const { token } = needs
    const key = JSON.stringify([place.region, place.endpoint, token])
    const client = this.#clients.get(key) ?? this.#create(place, token, sdk)
    this.#clients.delete(key)
    this.#clients.set(key, client)
    const [oldest] = this.#clients.keys()
    if (this.#clients.size > MOST_CLIENTS && oldest !== undefined) this.#clients.delete(oldest)
    return client
  }

  #create(place: Place, token: string | undefined, sdk: Sdk): BedrockRuntimeClient {
    const { profile, credentials, fetch } = this.#settings
    const common = { ...(profile !== undefined && { profile }), maxAttempts: 1 }
    const scheme = token !== undefined ? "httpBearerAuth" : credentials !== undefined ? "sigv4" : undefined
    return new sdk.BedrockRuntimeClient({
      ...common,
      region: place.region ?? regionFinder(() => new sdk.BedrockRuntimeClient(common), place.endpoint),
      ...(place.endpoint !== undefined && { endpoint: place.endpoint }),
      ...(credentials !== undefined && { credentials }),
      ...(token !== undefined && { token: { token } }),
      ...(scheme !== undefined && { authSchemePreference: [scheme] }),
      requestHandler: fetchHandler(fetch ?? ((input, init) => globalThis.fetch(input, init))),
    })
  }

  /** A region in the configuration moves a model from one of AWS's public addresses to another. */
  #place({ modelId, baseUrl, isModelsUrl }: ClientNeeds): Place {
    const { region } = this.#settings
    if (baseUrl !== undefined && !URL.canParse(baseUrl)) throw wrongRequest(`This is no address: ${baseUrl}`)
    const ofUrl = baseUrl === undefined ? undefined : regionOfUrl(baseUrl)
    const isMoved = isModelsUrl && region !== undefined && ofUrl !== region && PUBLIC_URL.test(baseUrl ?? "")
    return {
      region: region ?? ofUrl ?? regionOfArn(modelId),
      endpoint: isMoved ? undefined : baseUrl?.replace(/\/+$/, ""),
    }
  }
}

interface Place {
  readonly region: string | undefined
  readonly endpoint: string | undefined
}

/** Asks the SDK, which looks at the environment and the profile: once, though every request wants to know. */
function regionFinder(
  create: () => BedrockRuntimeClient,
  endpoint: string | undefined,
): () => Promise<string> {
  let found: Promise<string> | undefined
  return () => {
    found ??= findRegion(create(), endpoint).catch((error: unknown) => {
      found = undefined
      throw error
    })
    return found
  }
}

async function findRegion({ config }: BedrockRuntimeClient, endpoint: string | undefined): Promise<string> {
  try {
    return await config.region()
  } catch {
    if (endpoint !== undefined) return ANY_REGION
    throw wrongRequest("No region for Amazon Bedrock: set AWS_REGION, or pass region to the adapter.")
  }
}

function wrongRequest(says: string): StreamFailureError {
  return new StreamFailureError({ code: "invalid_request", retryable: false }, says)
}

const PUBLIC_URL = /^https:\/\/bedrock-runtime(-fips)?\.[a-z0-9-]+\.amazonaws\.com(\.cn)?\/?$/

/** For example `https://bedrock-runtime.eu-west-1.amazonaws.com`, or a private endpoint in front of it. */
function regionOfUrl(url: string): string | undefined {
  return /^https?:\/\/(?:[\w-]+\.)*bedrock-runtime(?:-fips)?\.([a-z]{2,4}(?:-[a-z]+)+-\d+)\./i.exec(url)?.[1]
}

/** For example `arn:aws:bedrock:eu-west-1:123456789012:inference-profile/…`. */
function regionOfArn(modelId: string): string | undefined {
  return modelId.startsWith("arn:") ? modelId.split(":")[3] || undefined : undefined
}
