/**
 * The client half of the proxy: a StreamFn that asks a server of one's own.
 *
 * Everything that can go wrong becomes the stream's one `error` event. Abort, a reader who leaves and a silent
 * server end the stream at once; whatever ignores that is left behind. A connection that drops is taken up again
 * where the server offers it; how often, `reconnect.ts` says.
 */
import { AssistantMessageBuilder, type AssistantMessageEventStream, applyProxyEvent } from "@heddle/stream"
import type { Context, Model, SimpleStreamOptions, StreamFn } from "@heddle/types"
import type { EventSourceMessage } from "eventsource-parser"
import { type ConnectionCall, openConnection } from "./connection.ts"
import type { ProxyClientConfig, ProxyStreamOptions } from "./options.ts"
import { messageOf, ProxyFailure, refusalOf } from "./proxy-failure.ts"
import { readEvents } from "./read-events.ts"
import { readText } from "./read-text.ts"
import { countReconnects, delay, isFinal, type Reconnects } from "./reconnect.ts"
import { toProxyRequest } from "./to-request.ts"

/** Asks a model through a proxy. Never throws and never rejects: failures are events of the stream. */
export function streamProxy(
  model: Model,
  context: Context,
  options: ProxyStreamOptions,
): AssistantMessageEventStream {
  // The headers among a request's options are the vendor's.
  const { headers: _, ...config } = options
  return ask(model, context, options, config)
}

/** Makes a StreamFn that asks models through a proxy; see {@link streamProxy}. */
export function createProxyStreamFn(
  config: ProxyClientConfig,
): (...request: Parameters<StreamFn>) => AssistantMessageEventStream {
  return (model, context, options = {}) => ask(model, context, options, config)
}

/** How long the end of a body may follow the last event, so that the connection can be used again. */
const LINGER_MS = 100

/** How long the server has to hear that a stream is not wanted any more. */
const GOODBYE_MS = 5000

/** How much of a refusal is read. Characters. */
const LONGEST_REFUSAL = 65_536

function ask(
  model: Model,
  context: Context,
  options: SimpleStreamOptions,
  config: ProxyClientConfig,
): AssistantMessageEventStream {
  const { signal, onPayload, onResponse, timeoutMs } = options
  const { idleTimeoutMs = 60_000, maxReconnects = 5 } = config
  const connection = openConnection(config, options.fetch ?? config.fetch ?? globalThis.fetch)
  const builder = new AssistantMessageBuilder({ api: model.api, provider: model.provider, id: model.id })
  /** Fires when nobody waits for the answer any more. */
  const gone = new AbortController()
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  let silence: ReturnType<typeof setTimeout> | undefined
  let deadline: ReturnType<typeof setTimeout> | undefined
  /** Names the stream as long as it can be taken up again, or ended, on the server. */
  let streamId: string | null = null
  let lastEventId: string | undefined

  if (signal?.aborted) abort()
  else {
    signal?.addEventListener("abort", abort)
    builder.stream.onCancel(hangUp)
    if (timeoutMs) {
      const message = `The answer did not begin within ${timeoutMs} ms`
      deadline = setTimeout(() => builder.started || fail(new ProxyFailure("timeout", message)), timeoutMs)
    }
    void converse().catch(fail).finally(release)
  }
  return builder.stream

  /** Rejects when there is nothing more to read, also after the end of the answer. */
  async function converse(): Promise<never> {
    const payload = toProxyRequest(model, context, options)
    const body = JSON.stringify((await onPayload?.(payload, model)) ?? payload)
    let response = await send({ method: "POST", body })
    const { status, headers } = response
    await onResponse?.({ status, headers: Object.fromEntries(headers) }, model)
    if (!response.ok) throw refusalOf(response, connection.conceal(await refusalText(response)))

    streamId = headers?.get("heddle-stream-id") ?? null
    const nextWait = countReconnects(maxReconnects)
    for (;;) {
      const reached = lastEventId
      const drop = await readEvents(readerOf(response), hear, receive)
      response = await takeUp(drop, lastEventId !== reached, nextWait)
    }
  }

  /** @throws {ProxyFailure} the drop itself, where the stream cannot be taken up again or has ended. */
  async function takeUp(drop: ProxyFailure, progress: boolean, nextWait: Reconnects): Promise<Response> {
    // Without ids nobody can tell what has come already.
    for (let isNew = progress; streamId && (lastEventId || !builder.started); isNew = false) {
      const wait = nextWait(isNew)
      if (wait === undefined) break
      clearTimeout(silence)
      await delay(wait, gone.signal)
      const response = await send({ method: "GET", streamId, lastEventId }).catch(() => undefined)
      if (response?.ok) return response
      cancel(response?.body)
      if (response && isFinal(response.status)) break
    }
    throw drop
  }

  async function send(call: ConnectionCall): Promise<Response> {
    hear()
    const response = await connection.send(call, gone.signal)
    if (gone.signal.aborted) cancel(response.body)
    gone.signal.throwIfAborted()
    hear()
    return response
  }

  function receive({ id, data }: EventSourceMessage, isRest: boolean): void {
    // An event that is sent again after a reconnect has an id that was there before.
    if (builder.ended || (id && Number(id) <= Number(lastEventId))) return
    try {
      const event = Object(JSON.parse(data))
      applyProxyEvent(builder, event)
      if (id) lastEventId = id
      if (event.type === "done" || event.type === "error") streamId = null
    } catch {
      // The last event of a response may be cut; whether the answer is complete shows at its end.
      if (!isRest) fail(new ProxyFailure("protocol", "The proxy sent an event that cannot be read"))
    }
    if (!builder.ended) return
    release()
    if (streamId) hangUp()
    else silence = setTimeout(hangUp, LINGER_MS)
  }

  /** @returns the body of a refusal, as far as it comes. */
  async function refusalText(response: Response): Promise<string> {
    let text = ""
    try {
      await readText(readerOf(response), (more) => {
        text += more
        return text.length > LONGEST_REFUSAL
      })
    } catch {
      // The status says enough.
    }
    return text
  }

  function readerOf({ body }: Response): ReadableStreamDefaultReader<Uint8Array> {
    if (!body) throw new ProxyFailure("protocol", "The proxy's response has no body")
    reader = body.getReader()
    return reader
  }

  /** Something has come from the server, or was sent to it: the time it may be silent begins anew. */
  function hear(): void {
    if (builder.ended || !idleTimeoutMs) return
    clearTimeout(silence)
    silence = setTimeout(() => {
      fail(new ProxyFailure("timeout", `The proxy was silent for ${idleTimeoutMs} ms`))
    }, idleTimeoutMs)
  }

  function abort(): void {
    builder.abort(signal?.reason)
    hangUp()
  }

  function fail(error: unknown): void {
    const { failure, message } =
      error instanceof ProxyFailure ? error : new ProxyFailure("invalid_request", messageOf(error))
    builder.fail(failure, message)
    hangUp()
  }

  function hangUp(): void {
    release()
    gone.abort()
    void reader?.cancel().catch(ignore)
    if (streamId) {
      connection
        .send({ method: "DELETE", streamId }, AbortSignal.timeout(GOODBYE_MS))
        .then(({ body }) => cancel(body), ignore)
    }
    streamId = null
  }

  function release(): void {
    clearTimeout(silence)
    clearTimeout(deadline)
    signal?.removeEventListener("abort", abort)
  }
}

function cancel(body: Response["body"] | undefined): void {
  void body?.cancel().catch(ignore)
}

function ignore(): void {}
