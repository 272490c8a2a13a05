/**
 * StreamFns that break the contract in one place each, made of one that keeps it.
 *
 * Every entry is a bug that adapters have had. The kit has to catch each, in the case and with the words named
 * here.
 */
import type {
  AssistantMessage,
  AssistantMessageEvent,
  AssistantMessageEventStream,
  StreamFn,
} from "@heddle/types"

export interface BrokenStreamFn {
  /** Completes "a StreamFn that …". */
  readonly that: string
  readonly break: (streamFn: StreamFn) => StreamFn
  /** The name of the case that must fail. */
  readonly fails: string
  readonly says: RegExp
}

type Change = (event: AssistantMessageEvent, at: number) => readonly AssistantMessageEvent[]

/** Passes events through a change; result() stays the unbroken one unless told otherwise. */
function rewrite(change: () => Change, result?: (message: AssistantMessage) => Promise<AssistantMessage>) {
  return (streamFn: StreamFn): StreamFn =>
    async (...request) => {
      const inner = await streamFn(...request)
      const changed = change()
      return stream(
        async function* () {
          let at = 0
          for await (const event of inner) yield* changed(event, at++)
        },
        async () => (result ? result(await inner.result()) : inner.result()),
      )
    }
}

function stream(
  events: () => AsyncGenerator<AssistantMessageEvent>,
  result: () => Promise<AssistantMessage>,
): AssistantMessageEventStream {
  return { [Symbol.asyncIterator]: events, result }
}

const never = () => new Promise<never>(() => {})

const isTerminal = (event: AssistantMessageEvent) => event.type === "done" || event.type === "error"

/** Changes the message of the terminal event, and result() with it. */
function rewriteMessage(change: (message: AssistantMessage) => AssistantMessage) {
  return rewrite(
    () => (event) => {
      if (event.type === "done") return [{ ...event, message: change(event.message) }]
      if (event.type === "error") return [{ ...event, error: change(event.error) }]
      return [event]
    },
    async (message) => change(message),
  )
}

const TEXT = "text arrives as the model said it"
const SMALL_DELTAS = "text arrives in many small deltas"
const CALL = "a tool call arrives with its id, name and arguments"
const PARALLEL = "parallel tool calls are kept apart when their deltas interleave"
const BROKEN_OFF = "a stream that breaks off fails and keeps what came"
const ABORT_TEXT = "an abort in the middle of a text keeps the text"

export const brokenStreamFns: readonly BrokenStreamFn[] = [
  {
    that: "throws",
    break: () => () => {
      throw new TypeError("no key")
    },
    fails: TEXT,
    says: /^never-throws: the call threw TypeError: no key; a failure arrives in the stream$/,
  },
  {
    that: "rejects",
    break: () => async () => {
      throw new Error("no network")
    },
    fails: TEXT,
    says: /^never-rejects: the call rejected with Error: no network; a failure arrives in the stream$/,
  },
  {
    that: "gives no stream",
    break: () => () => undefined as never,
    fails: TEXT,
    says: /^shape: the call gave undefined, no stream of events with result\(\)$/,
  },
  {
    that: "never gives a stream",
    break: () => () => never(),
    fails: TEXT,
    says: /^bounded-time: the call had not given a stream within 300 ms$/,
  },
  {
    that: "never ends",
    break:
      (streamFn) =>
      async (...request) => {
        const inner = await streamFn(...request)
        return stream(async function* () {
          for await (const event of inner) {
            if (isTerminal(event)) await never()
            yield event
          }
        }, never)
      },
    fails: TEXT,
    says: /^bounded-time: the stream had not ended within 300 ms; it gave 7 events, the last a text_end$/,
  },
  {
    that: "never pauses and never ends",
    break:
      (streamFn) =>
      async (...request) => {
        const inner = await streamFn(...request)
        return stream(async function* () {
          for await (const event of inner) {
            while (event.type === "text_delta") yield event
            yield event
          }
        }, never)
      },
    fails: TEXT,
    says: /^bounded-time: the stream had not ended within 300 ms; it gave \d+ events, the last a text_delta$/,
  },
  {
    that: "ends without a terminal event",
    break: rewrite(() => (event) => (isTerminal(event) ? [] : [event])),
    fails: TEXT,
    says: /^terminal: the stream ended after event 6 \(text_end\), without done or error$/,
  },
  {
    that: "throws while it is read",
    break: rewrite(() => (event) => {
      if (event.type === "text_delta") throw new Error("socket hang up")
      return [event]
    }),
    fails: TEXT,
    says: /^never-throws: reading the stream threw Error: socket hang up after 2 events/,
  },
  {
    that: "makes two terminal events",
    break: rewrite(() => (event) => (isTerminal(event) ? [event, event] : [event])),
    fails: TEXT,
    says: /^terminal: event 8 \(done\): comes after the terminal event 7 \(done\); nothing may follow it$/,
  },
  {
    that: "goes on after the terminal event",
    break:
      (streamFn) =>
      async (...request) => {
        const inner = await streamFn(...request)
        return stream(
          async function* () {
            let last: AssistantMessageEvent | undefined
            for await (const event of inner) {
              yield event
              if (!isTerminal(event)) last = event
            }
            if (last) yield last
          },
          () => inner.result(),
        )
      },
    fails: TEXT,
    says: /^terminal: event 8 \(text_end\): comes after the terminal event 7 \(done\)/,
  },
  {
    that: "leaves its reader waiting after the terminal event",
    break:
      (streamFn) =>
      async (...request) => {
        const inner = await streamFn(...request)
        return stream(
          async function* () {
            yield* inner
            await never()
          },
          () => inner.result(),
        )
      },
    fails: TEXT,
    says: /^terminal: the iteration did not end after the terminal event$/,
  },
  {
    that: "sends a delta before the block's start",
    break: rewrite(() => {
      let held: AssistantMessageEvent | undefined
      return (event) => {
        if (event.type === "text_start") {
          held = event
          return []
        }
        const events = held ? [event, held] : [event]
        held = undefined
        return events
      }
    }),
    fails: TEXT,
    says: /^block-order: event 1 \(text_delta\): block 0 was never opened; a \*_start has to come first$/,
  },
  {
    that: "sends no start",
    break: rewrite(() => (event) => (event.type === "start" ? [] : [event])),
    fails: TEXT,
    says: /^start: event 0 \(text_start\): comes before start$/,
  },
  {
    that: "takes the vendor's sparse indices",
    break: rewrite(() => (event) => [
      "contentIndex" in event ? { ...event, contentIndex: 2 * event.contentIndex } : event,
    ]),
    fails: PARALLEL,
    says: /^dense-index: event 2 \(toolcall_start\): opens block 2, but the next one is 1$/,
  },
  {
    that: "changes events after it has delivered them",
    break: rewrite(() => {
      const shared: Record<string, unknown> = {}
      return (event) => {
        if (!("partial" in event)) return [event]
        Object.assign(shared, structuredClone(event.partial))
        return [{ ...event, partial: shared as unknown as AssistantMessage }]
      }
    }),
    fails: TEXT,
    says: /^delivered-unchanged: event 0 \(start\): changed after it was delivered: event\.partial\.content/,
  },
  {
    that: "grows the delivered block in place",
    break: rewrite(() => {
      const block = { type: "text" as const, text: "" }
      return (event) => {
        if (!("partial" in event) || event.type === "start") return [event]
        if (event.type === "text_delta") block.text += event.delta
        return [{ ...event, partial: { ...event.partial, content: [block] } }]
      }
    }),
    fails: TEXT,
    says: /^delivered-unchanged: event 1 \(text_start\): .*event\.partial\.content\[0\]\.text is "Hello, world\.", expected ""$/,
  },
  {
    that: "completes the usage after the end",
    break: rewrite(() => (event) => {
      if (event.type !== "done") return [event]
      const message = structuredClone(event.message)
      setTimeout(() => Object.assign(message.usage, { input: 1, totalTokens: 1 }), 1)
      return [{ ...event, message }]
    }),
    fails: TEXT,
    says: /^delivered-unchanged: event 7 \(done\): .*event\.message\.usage\.input is 1, expected 0$/,
  },
  {
    that: "copies blocks that did not change",
    break: rewrite(() => (event) => [
      "partial" in event ? { ...event, partial: structuredClone(event.partial) } : event,
    ]),
    fails: PARALLEL,
    says: /^identity: event \d+ \(toolcall_end\): block 0 has ended and is another object than in the snapshot before$/,
  },
  {
    that: "writes into the caller's context",
    break: (streamFn) => (model, context, options) => {
      ;(context.messages as unknown[]).push({ role: "user", content: "Cache this.", timestamp: 1 })
      return streamFn(model, context, options)
    },
    fails: TEXT,
    says: /^inputs-untouched: the caller's context was written: context\.messages\.1 is an object with role, content, timestamp, expected to be absent$/,
  },
  {
    that: "writes into a message of the caller",
    break: (streamFn) => (model, context, options) => {
      Object.assign(context.messages[0] ?? {}, { content: "changed" })
      return streamFn(model, context, options)
    },
    fails: TEXT,
    says: /^inputs-untouched: the caller's context was written: context\.messages\[0\]\.content is "changed", expected "Hello\?"$/,
  },
  {
    that: "writes into the caller's model",
    break: (streamFn) => (model, context, options) => {
      Object.assign(model, { baseUrl: "https://example.com" })
      return streamFn(model, context, options)
    },
    fails: TEXT,
    says: /^inputs-untouched: the caller's model was written: model\.baseUrl/,
  },
  {
    that: "fills in the caller's options",
    break: (streamFn) => (model, context, options) => {
      Object.assign(options ?? {}, { temperature: 1 })
      return streamFn(model, context, options)
    },
    fails: TEXT,
    says: /^inputs-untouched: the caller's options was written: options\.temperature is 1, expected to be absent$/,
  },
  {
    that: "borrows the caller's array and gives it back",
    break: (streamFn) => (model, context, options) => {
      const messages = context.messages as unknown[]
      messages.push(messages[0])
      messages.pop()
      return streamFn(model, context, options)
    },
    fails: "frozen inputs are good enough",
    says: /^never-throws: the call threw TypeError: Cannot add property 4, object is not extensible/,
  },
  {
    that: "ignores the signal",
    break:
      (streamFn) =>
      (model, context, options = {}) => {
        const { signal: _, ...rest } = options
        return streamFn(model, context, rest)
      },
    fails: ABORT_TEXT,
    says: /^bounded-time: the stream had not ended within 300 ms of the abort; it gave 3 events, the last a text_delta$/,
  },
  {
    that: "asks the model although the signal has fired",
    break:
      (streamFn) =>
      (model, context, options = {}) => {
        const { signal: _, ...rest } = options
        const before = options.signal?.aborted
        if (before) void streamFn(model, context, rest)
        return streamFn(model, context, options)
      },
    fails: "a signal that fired before the call sends no request",
    says: /^request: 1 requests reached the other side, expected 0$/,
  },
  {
    that: "calls an abort an error of the network",
    break: rewrite(
      () => (event) =>
        event.type === "error"
          ? [
              {
                ...event,
                reason: "error",
                error: {
                  ...event.error,
                  stopReason: "error",
                  failure: { code: "network", retryable: true },
                },
              },
            ]
          : [event],
      async (message) => ({
        ...message,
        stopReason: "error",
        failure: { code: "network", retryable: true },
      }),
    ),
    fails: ABORT_TEXT,
    says: /^answer: the answer ended with error \(.*\), expected aborted$/,
  },
  {
    that: "forgets the content when it is aborted",
    break:
      (streamFn) =>
      async (...request) => {
        const inner = await streamFn(...request)
        return stream(
          async function* () {
            for await (const event of inner) {
              if (event.type === "error") {
                yield { ...event, error: { ...event.error, content: [] } }
              } else yield event
            }
          },
          async () => ({ ...(await inner.result()), content: [] }),
        )
      },
    fails: ABORT_TEXT,
    says: /^fold: event 4 \(error\): is not the message that the events tell: message\.content has 0 entries, expected 1$/,
  },
  {
    that: "does not notice that its reader left",
    break:
      (streamFn) =>
      async (...request) => {
        const inner = await streamFn(...request)
        const events = inner[Symbol.asyncIterator]()
        return {
          [Symbol.asyncIterator]: () => ({ next: () => events.next() }),
          result: () => inner.result(),
        }
      },
    fails: "a reader who leaves early gets an aborted message from result()",
    says: /^result: result\(\) had not settled/,
  },
  {
    that: "works only while it is read",
    break:
      (streamFn) =>
      async (...request) => {
        let settle: (message: AssistantMessage) => void = () => {}
        const result = new Promise<AssistantMessage>((resolve) => {
          settle = resolve
        })
        return stream(
          async function* () {
            const inner = await streamFn(...request)
            yield* inner
            settle(await inner.result())
          },
          () => result,
        )
      },
    fails: "result() settles although nobody reads the events",
    says: /^result: result\(\) had not settled within 300 ms$/,
  },
  {
    that: "drops the last delta",
    break: rewrite(() => {
      let deltas = 0
      return (event) => (event.type === "text_delta" && ++deltas === 4 ? [] : [event])
    }),
    fails: TEXT,
    says: /^end-matches-deltas: event 5 \(text_end\): content is "Hello, world\.", expected "Hello, wo?r?l?d?\.?" by the deltas$/,
  },
  {
    that: "drops a delta and the end of its text with it",
    break: rewrite(() => (event, at) => {
      if (event.type === "text_delta" && at === 402) return []
      if (event.type === "text_end") {
        return [{ ...event, content: event.content.slice(0, -5) }]
      }
      return [event]
    }),
    fails: SMALL_DELTAS,
    says: /^snapshot: event 401 \(text_end\)|^end-matches-deltas/,
  },
  {
    that: "folds its own events wrongly",
    break: rewriteMessage((message) => ({
      ...message,
      content: message.content.map((block) =>
        block.type === "text" ? { ...block, text: block.text.trimEnd().toUpperCase() } : block,
      ),
    })),
    fails: TEXT,
    says: /^fold: event 7 \(done\): is not the message that the events tell: message\.content\[0\]\.text is "HELLO, WORLD\.", expected "Hello, world\."$/,
  },
  {
    that: "gives another result than its terminal event",
    break: rewrite(
      () => (event) => [event],
      async (message) => ({ ...message, responseId: "other" }),
    ),
    fails: TEXT,
    says: /^result: result\(\) is not the message of the terminal event: the message\.responseId is "other", expected to be absent$/,
  },
  {
    that: "rejects result() when the answer failed",
    break: rewrite(
      () => (event) => [event],
      async (message) => {
        if (message.failure) throw new Error("failed")
        return message
      },
    ),
    fails: BROKEN_OFF,
    says: /^result: result\(\) rejected with Error: failed$/,
  },
  {
    that: "never settles result()",
    break: rewrite(() => (event) => [event], never),
    fails: TEXT,
    says: /^result: result\(\) had not settled within 300 ms$/,
  },
  {
    that: "changes its result when the signal fires after the end",
    break: (streamFn) => async (model, context, options) => {
      const inner = await streamFn(model, context, options)
      return stream(
        () => inner[Symbol.asyncIterator]() as AsyncGenerator<AssistantMessageEvent>,
        async () => {
          const message = await inner.result()
          return options?.signal?.aborted ? { ...message, stopReason: "aborted" } : message
        },
      )
    },
    fails: "an abort after the end changes nothing",
    says: /^result: result\(\) /,
  },
  {
    that: "forgets the usage on error",
    break: rewriteMessage((message) =>
      message.failure
        ? {
            ...message,
            usage: {
              ...message.usage,
              input: 0,
              output: 0,
              cacheRead: 0,
              totalTokens: 0,
            },
          }
        : message,
    ),
    fails: "a failure keeps the usage seen so far",
    says: /^answer: usage\.input is 0, expected 25$/,
  },
  {
    that: "counts cached tokens twice",
    break: rewriteMessage((message) => ({
      ...message,
      usage: {
        ...message.usage,
        input: message.usage.input + message.usage.cacheRead,
        totalTokens: message.usage.totalTokens + message.usage.cacheRead,
      },
    })),
    fails: "tokens are counted in counters that do not overlap",
    says: /^answer: usage\.input is 30, expected 25$/,
  },
  {
    that: "adds the tokens up wrongly",
    break: rewriteMessage((message) => ({
      ...message,
      usage: { ...message.usage, totalTokens: message.usage.totalTokens + 1 },
    })),
    fails: TEXT,
    says: /^usage: event 7 \(done\): usage\.totalTokens is 1, but the four counters add up to 0$/,
  },
  {
    that: "fails without saying why",
    break: rewriteMessage(({ failure: _, errorMessage: __, ...message }) => message),
    fails: BROKEN_OFF,
    says: /^failure: event 4 \(error\): the message has no errorMessage \(undefined\)/,
  },
  {
    that: "puts the key into a message",
    break: rewriteMessage((message) =>
      message.failure ? { ...message, errorMessage: "401 for key sk-secret" } : message,
    ),
    fails: BROKEN_OFF,
    says: /^secret: the key stands in the message$/,
  },
  {
    that: "reports a stop with tool calls as stop",
    break: rewrite(
      () => (event) =>
        event.type === "done"
          ? [{ ...event, reason: "stop", message: { ...event.message, stopReason: "stop" } }]
          : [event],
      async (message) => ({ ...message, stopReason: "stop" }),
    ),
    fails: "a stop with a tool call is reported as toolUse",
    says: /^stop-reason: event \d+ \(done\): reason is stop although there are tool calls; that is toolUse$/,
  },
  {
    that: "gives two calls one id",
    break: rewrite(
      () => (event) =>
        event.type === "toolcall_end" ? [{ ...event, toolCall: { ...event.toolCall, id: "call" } }] : [event],
    ),
    fails: PARALLEL,
    says: /^call-id: event \d+ \(toolcall_end\): the id "call" is that of block 0 too$/,
  },
  {
    that: "hides that arguments are malformed",
    break: rewrite(() => (event) => {
      if (event.type !== "toolcall_end") return [event]
      const { argumentsError: _, ...toolCall } = event.toolCall
      return [{ ...event, toolCall }]
    }),
    fails: "malformed arguments are said to be malformed",
    says: /^end-matches-deltas: event \d+ \(toolcall_end\): the deltas are not the JSON of an object/,
  },
  {
    that: "parses arguments into something else",
    break: rewrite(
      () => (event) =>
        event.type === "toolcall_end"
          ? [{ ...event, toolCall: { ...event.toolCall, arguments: { city: "Zurich" } } }]
          : [event],
    ),
    fails: CALL,
    says: /^end-matches-deltas: event \d+ \(toolcall_end\): toolCall\.arguments\.city is "Zurich", expected "Zürich" by the deltas$/,
  },
  {
    that: "shares one stream between two calls",
    break: (streamFn) => {
      let shared: ReturnType<StreamFn> | undefined
      return (...request) => {
        shared ??= streamFn(...request)
        return shared
      }
    },
    fails: "two calls at once do not disturb each other",
    says: /^never-throws: reading the stream threw/,
  },
  {
    that: "writes absent fields as undefined",
    break: rewriteMessage((message) => ({ ...message, responseId: undefined }) as never),
    fails: TEXT,
    says: /^shape: event 7 \(done\): message\.responseId is undefined; an optional field is absent when it has no value$/,
  },
  {
    that: "keeps the redaction to itself",
    break: rewrite(() => (event) => {
      if (event.type !== "thinking_end") return [event]
      const { redacted: _, ...rest } = event
      return [rest]
    }),
    fails: "redacted thinking keeps its payload and shows no text",
    says: /^snapshot: event 2 \(thinking_end\): .*redacted is true, expected to be absent$/,
  },
  {
    that: "fails where it should answer",
    break: () => (model) => {
      const error: AssistantMessage = {
        role: "assistant",
        content: [],
        api: model.api,
        provider: model.provider,
        model: model.id,
        usage: {
          input: 0,
          output: 0,
          cacheRead: 0,
          cacheWrite: 0,
          totalTokens: 0,
          cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
        },
        stopReason: "error",
        errorMessage: "Not today",
        failure: { code: "unknown", retryable: false },
        timestamp: 1,
      }
      return stream(
        async function* () {
          yield { type: "error", reason: "error", error }
        },
        async () => error,
      )
    },
    fails: TEXT,
    says: /^answer: the answer ended with error \("Not today"\), expected stop$/,
  },
]
