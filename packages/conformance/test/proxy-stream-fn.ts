/**
 * A small StreamFn over HTTP, to have something real on the other end of the fault server.
 *
 * It speaks the proxy wire in one page; `@heddle/proxy-client` is the real one.
 */
import { AssistantMessageBuilder, applyProxyEvent } from "@heddle/stream"
import type { StreamFailure, StreamFn } from "@heddle/types"
import { CODE_OF_STATUS, isRetryable } from "../src/http-failure.ts"

export function proxyStreamFn(url: string, key: string): StreamFn {
  return (model, context, options = {}) => {
    const builder = new AssistantMessageBuilder(model)
    const controller = new AbortController()
    const onAbort = () => {
      builder.abort(options.signal?.reason)
      controller.abort()
    }
    if (options.signal?.aborted) onAbort()
    else options.signal?.addEventListener("abort", onAbort)
    builder.stream.onCancel(() => controller.abort())
    const stream = async () => {
      if (builder.ended) return
      const { signal: _, apiKey: __, ...rest } = options
      const response = await fetch(`${url}/api/stream`, {
        method: "POST",
        headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
        body: JSON.stringify({ model, context, options: rest }),
        signal: controller.signal,
      })
      if (!response.ok) {
        const text = (await response.text()).replaceAll(key, "…")
        builder.fail(failureOf(response), text)
        return
      }
      for await (const data of eventsOf(response)) applyProxyEvent(builder, JSON.parse(data))
      builder.fail({ code: "protocol", retryable: true }, "The reply ended in the middle")
    }
    stream()
      .catch((error: unknown) => builder.fail(classify(error, builder), String(error)))
      .finally(() => options.signal?.removeEventListener("abort", onAbort))
    return builder.stream
  }
}

function failureOf(response: Response): StreamFailure {
  const code = CODE_OF_STATUS[response.status] ?? "unknown"
  const wait = response.headers.get("retry-after-ms")
  return {
    code,
    retryable: isRetryable(code),
    status: response.status,
    ...(wait !== null && { retryAfterMs: Number(wait) }),
  }
}

function classify(error: unknown, builder: AssistantMessageBuilder): StreamFailure {
  if (error instanceof SyntaxError) return { code: "protocol", retryable: true }
  const cause = error instanceof TypeError && error.message === "fetch failed"
  const dropped = error instanceof TypeError && error.message === "terminated"
  return cause || dropped || builder.message.content.length > 0
    ? { code: "network", retryable: true }
    : { code: "invalid_request", retryable: false }
}

async function* eventsOf(response: Response): AsyncGenerator<string> {
  let text = ""
  const decoder = new TextDecoder()
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    const events = text.split("\n\n")
    text = events.pop() ?? ""
    for (const event of events) {
      const data = event.split("\n").find((line) => line.startsWith("data: "))
      if (data) yield data.slice(6)
    }
  }
}
