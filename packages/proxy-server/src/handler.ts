/**
 * The server half of the proxy, as a function from `Request` to `Response`.
 *
 * It decides who may ask and what a request may say, and knows the streams that clients may come back for.
 * Everything about one answer is in `live-stream.ts`.
 */
import type { Context, Model, SimpleStreamOptions } from "@heddle/types"
import { type Caller, toCaller } from "./authorise.ts"
import { answerPreflight, withCors } from "./cors.ts"
import { EventBody } from "./event-body.ts"
import { type EventReader, LiveStream } from "./live-stream.ts"
import type { Authorization, ModelName, ProxyErrorContext, ProxyHandlerOptions } from "./options.ts"
import { createOriginalWire } from "./original-wire.ts"
import { pacedFetch } from "./paced-fetch.ts"
import { busy, Refused } from "./refused.ts"
import { BodyReader } from "./request-body.ts"
import { checkShape } from "./request-shape.ts"
import { StoreCopy } from "./store-copy.ts"
import { StoredEvents } from "./stored-events.ts"
import { toContext, toOptions } from "./to-call.ts"

/** Answers one request. Never rejects. */
export type ProxyHandler = (request: Request) => Promise<Response>

const MEBI = 1024 * 1024

const DEFAULT_LIMITS = {
  maxBodyBytes: 32 * MEBI,
  bodyTimeoutMs: 60_000,
  maxPendingBodyBytes: 256 * MEBI,
  maxStreams: 10_000,
  maxTokens: Number.POSITIVE_INFINITY,
  maxRetryDelayMs: 60_000,
  maxBufferedChars: MEBI / 16,
  maxReplayChars: MEBI / 4,
  readTimeoutMs: 60_000,
}

/**
 * Makes a handler for servers that speak `Request` and `Response`: Deno, Bun, workers; and Node.js through
 * `@heddle/proxy-server/node`.
 *
 * @throws {TypeError} when `resolveModel`, `streamFn` or `authorize` is missing.
 */
export function createProxyHandler(options: ProxyHandlerOptions): ProxyHandler {
  for (const hook of ["resolveModel", "streamFn", "authorize"] as const) {
    if (typeof options[hook] !== "function") throw new TypeError(`The proxy cannot do without ${hook}`)
  }
  const server = new ProxyServer(options)
  return (request) => server.handle(request)
}

class ProxyServer {
  readonly #options: ProxyHandlerOptions
  readonly #path: string
  readonly #graceMs: number
  readonly #limits: typeof DEFAULT_LIMITS
  readonly #bodies: BodyReader
  /** What clients may come back for, by its id. */
  readonly #streams = new Map<string, LiveStream>()
  /** Requests that are being read, and answers that are being made. */
  #running = 0
  /** Keeps requests as long as their responses: the signal of one that is gone does not fire. */
  readonly #requests = new WeakMap<ReadableStream, Request>()

  constructor(options: ProxyHandlerOptions) {
    this.#options = options
    this.#path = options.path ?? "/api/stream"
    this.#graceMs = options.resumeGraceMs ?? 10_000
    this.#limits = { ...DEFAULT_LIMITS, ...definedOf(options.limits ?? {}) }
    this.#bodies = new BodyReader(this.#limits)
  }

  async handle(request: Request): Promise<Response> {
    const { cors } = this.#options
    const response = await this.#route(request).catch((error: unknown) => this.#refuse(error))
    // A body that was refused is not read on.
    if (!response.ok && !request.bodyUsed) void request.body?.cancel().catch(() => {})
    return cors ? withCors(response, request, cors) : response
  }

  async #route(request: Request): Promise<Response> {
    const { cors } = this.#options
    const { method } = request
    const { pathname } = new URL(request.url)
    const streamId = pathname.startsWith(`${this.#path}/`) ? pathname.slice(this.#path.length + 1) : ""
    if (pathname !== this.#path && !/^[\w-]{1,64}$/.test(streamId)) {
      throw new Refused(404, "not_found", "There is nothing here")
    }
    const methods = streamId ? ["GET", "DELETE"] : ["POST"]
    if (method === "OPTIONS" && cors) return answerPreflight(cors)
    if (!methods.includes(method)) {
      throw new Refused(405, "method_not_allowed", `The method ${method} is not for this path`, {
        allow: methods.join(", "),
      })
    }
    const caller = await this.#authorise(request)
    if (!streamId) return this.#open(request, caller)
    return method === "GET" ? this.#resume(request, caller, streamId) : this.#abort(caller, streamId)
  }

  async #authorise(request: Request): Promise<Caller> {
    const decide = async (): Promise<Authorization> => {
      try {
        return await this.#options.authorize(request)
      } catch (error) {
        // Some frameworks' own helpers throw the response they want to be sent.
        if (error instanceof Response) return error
        throw error
      }
    }
    return toCaller(await this.#ask("authorize", {}, decide))
  }

  async #open(request: Request, caller: Caller): Promise<Response> {
    if (this.#running >= this.#limits.maxStreams) throw busy("Too many answers are being made")
    this.#running++
    let isStarted = false
    try {
      const shape = checkShape(await this.#bodies.readJson(request))
      const named = { provider: shape.model.provider, id: shape.model.id }
      const context = { identity: caller.identity, model: named }
      const model = await this.#ask("resolveModel", context, () =>
        this.#options.resolveModel(named, caller.identity),
      )
      if (!model) throw new Refused(404, "model_not_found", `There is no model ${named.provider}/${named.id}`)
      const asked = toOptions(shape.options, model, this.#limits)
      const response = await this.#start(request, caller, named, {
        model,
        context: toContext(shape.context, Date.now()),
        options: asked,
      })
      isStarted = true
      return response
    } finally {
      if (!isStarted) this.#running--
    }
  }

  async #start(
    request: Request,
    { identity, owner }: Caller,
    named: ModelName,
    call: { readonly model: Model; readonly context: Context; readonly options: SimpleStreamOptions },
  ): Promise<Response> {
    const { streamFn, fetch, store } = this.#options
    const { maxBufferedChars, maxReplayChars } = this.#limits
    const speaksProtocol = request.headers.get("heddle-protocol") === "1"
    const isResumable = speaksProtocol && store !== false && store !== null
    const streamId = isResumable ? crypto.randomUUID() : undefined
    const tell = (where: ProxyErrorContext["where"]) => (error: unknown) =>
      this.#report(error, { where, identity, model: named })
    const copy =
      streamId && store
        ? new StoreCopy(store, streamId, { graceMs: this.#graceMs, onError: tell("store") })
        : undefined
    const stream = new LiveStream({
      model: call.model,
      owner,
      graceMs: isResumable ? this.#graceMs : undefined,
      translate: speaksProtocol ? undefined : createOriginalWire(),
      maxBufferedChars,
      maxReplayChars,
      onError: tell("upstream"),
      onEvent: (data, isTerminal) => {
        if (isTerminal) this.#running--
        copy?.write(data, isTerminal)
      },
      onForgotten: () => {
        if (streamId) this.#streams.delete(streamId)
        copy?.close()
      },
    })
    await copy?.open(stream)
    if (streamId) this.#streams.set(streamId, stream)
    const reader = stream.attach(0)
    void stream.run(({ signal }) =>
      streamFn(call.model, call.context, {
        ...call.options,
        signal,
        ...(fetch && { fetch: pacedFetch(fetch, () => stream.room()) }),
      }),
    )
    return this.#respond(request, reader as EventReader, streamId)
  }

  async #resume(request: Request, caller: Caller, streamId: string): Promise<Response> {
    const lastEventId = request.headers.get("last-event-id") ?? "0"
    if (!/^\d{1,15}$/.test(lastEventId)) {
      throw new Refused(400, "invalid_request", "Last-Event-ID must be the id of an event")
    }
    const { store } = this.#options
    const after = Number(lastEventId)
    const stream = await this.#find(caller, streamId)
    if (!stream && store) {
      const tell = (error: unknown) => this.#report(error, { where: "store", identity: caller.identity })
      return this.#respond(request, new StoredEvents(store, streamId, after, tell), streamId)
    }
    const reader = stream?.attach(after)
    if (!reader) throw new Refused(410, "gone", `What follows event ${after} is not kept any more`)
    return this.#respond(request, reader, streamId)
  }

  async #abort(caller: Caller, streamId: string): Promise<Response> {
    const { store } = this.#options
    const stream = await this.#find(caller, streamId)
    if (stream) stream.abort("The client aborted")
    else if (store) await this.#ask("store", caller, () => store.publish(streamId, "abort"))
    return new Response(null, { status: 204 })
  }

  /**
   * @returns undefined for a stream of another process.
   * @throws {Refused} when there is no such stream, or it is somebody else's.
   */
  async #find(caller: Caller, streamId: string): Promise<LiveStream | undefined> {
    const { store } = this.#options
    const stream = this.#streams.get(streamId)
    const owner =
      stream?.owner ?? (store ? await this.#ask("store", caller, () => store.owner(streamId)) : undefined)
    if (owner === undefined) throw new Refused(404, "not_found", "There is no such stream")
    if (owner !== caller.owner) throw new Refused(403, "forbidden", "The stream is somebody else's")
    return stream
  }

  #respond(request: Request, reader: EventReader, streamId: string | undefined): Response {
    const { heartbeatMs = 15_000 } = this.#options
    const { readTimeoutMs } = this.#limits
    const body = new EventBody(reader, { heartbeatMs, readTimeoutMs })
    const drop = (): void => body.drop("The client disconnected")
    this.#requests.set(body.stream, request)
    // Not every runtime has signals on its requests; cancelling the body says the same.
    if (request.signal?.aborted) drop()
    else request.signal?.addEventListener("abort", drop, { once: true })
    return new Response(body.stream, {
      headers: {
        "content-type": "text/event-stream",
        "cache-control": "no-store, no-transform",
        // Reverse proxies would hold events back until they have enough of them.
        "x-accel-buffering": "no",
        ...(streamId && { "heddle-stream-id": streamId }),
      },
    })
  }

  /** Calls a hook. What it throws is told to the operator, and not to the client. */
  async #ask<T>(
    where: ProxyErrorContext["where"],
    context: Pick<ProxyErrorContext, "identity" | "model">,
    hook: () => T | Promise<T>,
  ): Promise<T> {
    try {
      return await hook()
    } catch (error) {
      this.#report(error, { where, identity: context.identity, model: context.model })
      throw internal()
    }
  }

  #refuse(error: unknown): Response {
    if (error instanceof Response) return error
    if (error instanceof Refused) return error.toResponse()
    this.#report(error, { where: "handler" })
    return internal().toResponse()
  }

  #report(error: unknown, context: ProxyErrorContext): void {
    try {
      this.#options.onError?.(error, context)
    } catch {
      // The client's answer does not depend on the operator's log.
    }
  }
}

function internal(): Refused {
  return new Refused(500, "internal", "The server failed")
}

/** A limit that is undefined counts as absent. */
function definedOf<T extends object>(value: T): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as never
}
