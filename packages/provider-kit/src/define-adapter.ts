/**
 * Makes a StreamFn of an adapter's definition: the one place where requests are sent, retried and abandoned.
 *
 * Everything that can go wrong (a missing key, a hook that throws, a dead network, a vendor's refusal) becomes
 * the stream's one `error` event. Abort does not wait for anyone: the stream ends at once, the request is told
 * to stop, and whatever ignores that is left behind.
 *
 * What a request says and what a response means is the definition's; what a failure means is
 * `classify-failure.ts`.
 */
import { AssistantMessageBuilder } from "@heddle/stream"
import type { Context, Model, SimpleStreamOptions } from "@heddle/types"
import { adaptHistory } from "./adapt-history.ts"
import type {
  AdapterCall,
  AdapterConfig,
  AdapterDefinition,
  AdapterStreamFn,
  ResponseHead,
} from "./adapter-definition.ts"
import { startAttempt } from "./attempt.ts"
import { type ClassifiedFailure, classifyError, classifyFailure } from "./classify-failure.ts"
import { toFailureFacts } from "./failure-facts.ts"
import { findApiKey } from "./find-api-key.ts"
import { obedientFetch } from "./obedient-fetch.ts"
import { redact, secretsOfUrl } from "./redact.ts"
import { mergeHeaders, type RequestHeaders, secretsOf } from "./request-headers.ts"
import { type HeadersLike, headerRecord } from "./response-headers.ts"
import { delay, retryDelay } from "./retry.ts"
import { StreamFailureError } from "./stream-failure-error.ts"
import { toWellFormed } from "./well-formed-text.ts"
import { isWireObject } from "./wire.ts"

/** @param config What the adapter's factory was given. */
export function defineAdapter<TSdk, TPayload, TResponse extends ResponseHead>(
  definition: AdapterDefinition<TSdk, TPayload, TResponse>,
  config: AdapterConfig = {},
): AdapterStreamFn {
  return (model, context, options) => {
    const builder = new AssistantMessageBuilder(model)
    const request = new AdapterRequest(definition, config, model, options ?? {}, builder)
    void request.run(context)
    return builder.stream
  }
}

class AdapterRequest<TSdk, TPayload, TResponse extends ResponseHead> {
  readonly #definition: AdapterDefinition<TSdk, TPayload, TResponse>
  readonly #config: AdapterConfig
  readonly #model: Model
  readonly #options: SimpleStreamOptions
  readonly #builder: AssistantMessageBuilder
  /** Fires when nobody waits for the answer any more. */
  readonly #gone = new AbortController()
  #apiKey: string | undefined
  #baseUrl: string | undefined
  #headers: RequestHeaders = {}
  /** What the last fetch rejected with: the SDK around it may keep it to itself. */
  #rejection: unknown

  constructor(
    definition: AdapterDefinition<TSdk, TPayload, TResponse>,
    config: AdapterConfig,
    model: Model,
    options: SimpleStreamOptions,
    builder: AssistantMessageBuilder,
  ) {
    this.#definition = definition
    this.#config = config
    this.#model = model
    this.#options = options
    this.#builder = builder
  }

  /** Never rejects. */
  async run(context: Context): Promise<void> {
    const { signal } = this.#options
    const abort = (): void => {
      this.#builder.abort(signal?.reason)
      this.#gone.abort(signal?.reason)
    }
    const release = (): void => signal?.removeEventListener("abort", abort)
    this.#builder.stream.onCancel(() => {
      release()
      this.#gone.abort()
    })
    if (signal?.aborted) return abort()
    signal?.addEventListener("abort", abort, { once: true })
    try {
      await this.#converse(context)
    } catch (error) {
      this.#fail(error)
    } finally {
      release()
    }
  }

  async #converse(context: Context): Promise<void> {
    this.#headers = mergeHeaders(this.#config.headers, this.#model.headers, this.#options.headers)
    this.#apiKey = findApiKey(this.#model, {
      apiKey: this.#options.apiKey,
      config: this.#config,
      envKeys: this.#definition.envKeys(this.#model),
      isNeeded: this.#definition.needsKey?.(this.#model) ?? true,
      headers: this.#headers,
    })
    this.#baseUrl = this.#findBaseUrl()
    let payload: TPayload | undefined | void = this.#toRequest(context)
    for (let round = 0; payload !== undefined; round++) {
      const sent: TPayload = await this.#showPayload(payload)
      const sdk = await this.#load()
      if (this.#builder.ended) return
      payload = await this.#sendUntilAnswered(sent, sdk, round)
      if (this.#builder.ended) return
    }
    throw new StreamFailureError(
      { code: "protocol", retryable: true },
      "The response ended before the answer was complete",
    )
  }

  #findBaseUrl(): string | undefined {
    const { baseUrl, client } = this.#config
    const found = baseUrl || this.#model.baseUrl || this.#definition.baseUrl?.(this.#model)
    if (client !== undefined || found === undefined || URL.canParse(found)) return found
    const says =
      found === ""
        ? `No address for ${this.#model.provider}: set baseUrl on the model, or pass it to the adapter.`
        : `This is no address: ${found}`
    throw new StreamFailureError({ code: "invalid_request", retryable: false }, says)
  }

  #toRequest(context: Context): TPayload {
    const { foreignThinking } = this.#config
    try {
      const rules = this.#definition.historyRules?.(this.#model)
      const messages = adaptHistory(context.messages, this.#model, { foreignThinking, ...rules })
      return toWellFormed(this.#definition.toRequest(this.#model, { ...context, messages }, this.#options))
    } catch (error) {
      if (error instanceof StreamFailureError) throw error
      throw new StreamFailureError({ code: "invalid_request", retryable: false }, textOf(error))
    }
  }

  async #showPayload(payload: TPayload): Promise<TPayload> {
    const { onPayload } = this.#options
    if (!onPayload) return payload
    const replacement = await asHook(() => onPayload(payload, this.#model))
    return (replacement ?? payload) as TPayload
  }

  async #load(): Promise<TSdk> {
    try {
      return await this.#definition.load()
    } catch (error) {
      const [reason] = textOf(error).split("\n", 1)
      throw new StreamFailureError(
        { code: "unknown", retryable: false },
        `The vendor's SDK could not be loaded: ${reason}`,
      )
    }
  }

  /** Tries again as long as this response has delivered nothing and the failure and the caller allow it. */
  async #sendUntilAnswered(
    payload: TPayload,
    sdk: TSdk,
    round: number,
  ): Promise<TPayload | undefined | void> {
    const before = this.#builder.message
    for (let failed = 0; ; failed++) {
      try {
        return await this.#sendOnce(payload, sdk, round)
      } catch (error) {
        if (this.#builder.ended) return undefined
        const { failure } = this.#classify(error)
        const isUntouched = this.#builder.message === before
        const wait = isUntouched ? retryDelay(failure, failed, this.#options) : undefined
        if (wait === undefined) throw error
        await delay(wait, this.#gone.signal)
        if (this.#builder.ended) return undefined
      }
    }
  }

  async #sendOnce(payload: TPayload, sdk: TSdk, round: number): Promise<TPayload | undefined | void> {
    const attempt = startAttempt(this.#gone.signal, this.#options.timeoutMs)
    const call = this.#toCall(payload, attempt.signal, round)
    let response: TResponse | undefined
    try {
      const sent = this.#definition.send(call, sdk)
      response = await attempt.begin(sent, (late) => this.#discard(late))
      await this.#showResponse(response.status, response.headers)
      if (this.#builder.ended) return this.#discard(response)
      return await this.#definition.receive(response, this.#builder, call)
    } catch (error) {
      attempt.cancel()
      if (response) this.#discard(response)
      await this.#showRefusal(error)
      throw error
    } finally {
      attempt.release()
    }
  }

  #toCall(payload: TPayload, signal: AbortSignal, round: number): AdapterCall<TPayload> {
    const headers = this.#headers
    const fetch = this.#options.fetch ?? this.#config.fetch ?? globalThis.fetch
    const dropped = Object.keys(headers).filter((name) => headers[name] === null)
    return {
      model: this.#model,
      options: this.#options,
      payload,
      apiKey: this.#apiKey,
      baseUrl: this.#baseUrl,
      headers,
      fetch: obedientFetch(
        fetch,
        signal,
        (error) => {
          this.#rejection = error
        },
        dropped,
      ),
      signal,
      round,
    }
  }

  async #showResponse(status: number, headers: HeadersLike): Promise<void> {
    const { onResponse } = this.#options
    if (onResponse) await asHook(() => onResponse({ status, headers: headerRecord(headers) }, this.#model))
  }

  /** A refusal is a response too, though the SDK has made an error of it. */
  async #showRefusal(error: unknown): Promise<void> {
    if (!this.#options.onResponse || error instanceof StreamFailureError || this.#builder.ended) return
    const { status, headers } = toFailureFacts(error)
    if (status !== undefined && headers !== undefined) await this.#showResponse(status, headers)
  }

  #classify(error: unknown): ClassifiedFailure {
    try {
      if (error instanceof StreamFailureError) return classifyError(error)
      return classifyFailure(toFailureFacts(error, this.#rejection), this.#definition.failureRules)
    } catch {
      return UNREADABLE
    }
  }

  #discard(response: TResponse): void {
    if (this.#definition.discard) {
      this.#definition.discard(response)
    } else {
      const { body } = response as { readonly body?: { cancel?(): Promise<unknown> } | null }
      void body?.cancel?.().catch(() => {})
    }
  }

  #fail(error: unknown): void {
    const { failure, message } = this.#classify(error)
    const { client } = this.#config
    const clientKey = isWireObject(client) && typeof client.apiKey === "string" ? client.apiKey : undefined
    const secrets = [this.#apiKey, clientKey, ...secretsOf(this.#headers), ...secretsOfUrl(this.#baseUrl)]
    this.#builder.fail(failure, redact(message, secrets))
  }
}

/** For errors that cannot even be read: a getter that throws, an object that is no text. */
const UNREADABLE: ClassifiedFailure = {
  failure: { code: "unknown", retryable: false },
  message: "The request failed for an unknown reason",
}

/** A hook of the caller's that throws says nothing about the vendor. */
async function asHook<T>(hook: () => T | Promise<T>): Promise<T> {
  try {
    return await hook()
  } catch (error) {
    throw new StreamFailureError({ code: "unknown", retryable: false }, textOf(error))
  }
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
