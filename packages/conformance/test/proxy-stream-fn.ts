/**
 * A small StreamFn over HTTP, to have something real on the other end of the fault server.
 *
 * It speaks the proxy wire in one page; `@heddle/proxy-client` is the real one. Each flaw is a bug that clients
 * of streaming APIs have had.
 */
import { AssistantMessageBuilder, applyProxyEvent } from "@heddle/stream"
import type { Context, StreamFailure, StreamFn } from "@heddle/types"
import { CODE_OF_STATUS, isRetryable } from "../src/http-failure.ts"

export type Flaw =
  | "decodes each packet alone"
  | "keeps the connection when nobody wants it any more"
  | "takes the end of the body for the end of the answer"
  | "skips what it cannot read"
  | "quotes the key"
  | "has one code for every status"
  | "forgets the status"
  | "does not tell how long to wait"
  | "tries again on its own account"
  | "says that the answer has begun before it has"
  | "leaves out the system prompt"
  | "leaves out images"
  | "stumbles over unknown events"

export function proxyStreamFn(url: string, key: string, flaw?: Flaw): StreamFn {
  return (model, context, options = {}) => {
    const builder = new AssistantMessageBuilder(model)
    const controller = new AbortController()
    const hangUp = () => {
      if (flaw !== "keeps the connection when nobody wants it any more") controller.abort()
    }
    const onAbort = () => {
      builder.abort(options.signal?.reason)
      hangUp()
    }
    if (options.signal?.aborted) onAbort()
    else options.signal?.addEventListener("abort", onAbort)
    builder.stream.onCancel(hangUp)

    const request = () =>
      fetch(`${url}/api/stream`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, context: spoil(context, flaw) }),
        signal: controller.signal,
      })

    const stream = async () => {
      if (builder.ended) return
      if (flaw === "says that the answer has begun before it has") builder.start()
      let response = await request()
      if (flaw === "tries again on its own account" && !response.ok) response = await request()
      if (!response.ok) {
        const text = await response.text()
        builder.fail(failureOf(response, flaw), flaw === "quotes the key" ? text : text.replaceAll(key, "…"))
        return
      }
      for await (const data of eventsOf(response, flaw)) receive(builder, data, flaw)
      if (flaw === "takes the end of the body for the end of the answer") builder.done("stop")
      else builder.fail({ code: "protocol", retryable: true }, "The reply ended in the middle")
    }
    stream()
      .catch((error: unknown) => builder.fail(classify(error), String(error)))
      .finally(() => options.signal?.removeEventListener("abort", onAbort))
    return builder.stream
  }
}

function receive(builder: AssistantMessageBuilder, data: string, flaw: Flaw | undefined): void {
  try {
    const event = JSON.parse(data)
    if (flaw === "stumbles over unknown events" && event.type === "future_event") {
      throw new SyntaxError("Unknown event")
    }
    applyProxyEvent(builder, event)
  } catch (error) {
    if (flaw !== "skips what it cannot read") throw error
  }
}

function spoil(context: Context, flaw: Flaw | undefined): Context {
  if (flaw === "leaves out the system prompt") return { ...context, systemPrompt: "" }
  if (flaw !== "leaves out images") return context
  const messages = context.messages.map((message) =>
    message.role === "user" && typeof message.content !== "string"
      ? { ...message, content: message.content.filter(({ type }) => type !== "image") }
      : message,
  )
  return { ...context, messages }
}

function failureOf({ status, headers }: Response, flaw: Flaw | undefined): StreamFailure {
  const code = flaw === "has one code for every status" ? "unknown" : (CODE_OF_STATUS[status] ?? "unknown")
  const wait = flaw === "does not tell how long to wait" ? null : headers.get("retry-after-ms")
  return {
    code,
    retryable: isRetryable(code),
    ...(flaw !== "forgets the status" && { status }),
    ...(wait !== null && { retryAfterMs: Number(wait) }),
  }
}

/** Node's fetch throws TypeErrors for the network, ours are SyntaxErrors, and a request that has no JSON is wrong. */
function classify(error: unknown): StreamFailure {
  if (error instanceof SyntaxError) return { code: "protocol", retryable: true }
  return error instanceof TypeError && ["fetch failed", "terminated"].includes(error.message)
    ? { code: "network", retryable: true }
    : { code: "invalid_request", retryable: false }
}

async function* eventsOf(response: Response, flaw: Flaw | undefined): AsyncGenerator<string> {
  let text = ""
  let decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    if (flaw === "decodes each packet alone") decoder = new TextDecoder()
    text += decoder.decode(bytes, { stream: true })
    const events = text.split("\n\n")
    text = events.pop() ?? ""
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "))
      if (data) yield data.slice(6)
    }
  }
}
