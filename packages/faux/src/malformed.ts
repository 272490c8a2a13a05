/**
 * The ways in which a StreamFn can break its contract, for tests of engines that have to survive it.
 *
 * The reply is first made properly, by the message builder like any other; what is here sits between the
 * proper stream and its reader and spoils it. Nothing else in this package breaks the contract.
 */
import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream } from "@heddle/types"

/**
 * What goes wrong.
 *
 * Instead of a stream:
 * - `throw`: the StreamFn throws.
 * - `reject`: its promise rejects.
 * - `never-resolves`: its promise stays pending, whatever the signal does.
 * - `no-stream`: it returns `undefined`.
 *
 * A stream that ends wrongly:
 * - `iterator-throws`: the iterator throws where the terminal event would be; `result()` stays pending.
 * - `no-terminal`: the iterator ends without the terminal event; `result()` stays pending.
 * - `after-terminal`: the last event and the terminal one come a second time.
 * - `no-result`: the events are right, and `result()` stays pending.
 * - `ignores-abort`: neither the signal nor a reader that leaves has any effect; the iterator's `return()`
 *   stays pending. With `hang()` it is silent for good, with `wait()` it goes on talking later.
 *
 * A stream of wrong events:
 * - `no-start`: the `start` event is missing.
 * - `delta-before-start`: each block's first delta comes before the event that opens the block.
 * - `unknown-event`: before every event comes one of a type that nobody knows.
 * - `mutates`: one message object is written again and again, and every event carries it.
 *
 * Arguments that are no JSON are no breach of the contract: `callTool("read", '{"path": ')` scripts them.
 */
export type Malformation = "throw" | "reject" | "never-resolves" | "no-stream" | StreamMalformation

type StreamMalformation =
  | "iterator-throws"
  | "no-terminal"
  | "after-terminal"
  | "no-result"
  | "ignores-abort"
  | "no-start"
  | "delta-before-start"
  | "unknown-event"
  | "mutates"

type Events = AsyncIterable<AssistantMessageEvent>

/** @throws TypeError when there is no such way. */
export function checkMalformation(how: string): void {
  if (Object.hasOwn(NO_STREAM, how) || Object.hasOwn(SPOILERS, how)) return
  const known = [...Object.keys(NO_STREAM), ...Object.keys(SPOILERS)].join(", ")
  throw new TypeError(`There is no malformed(${JSON.stringify(how)}); there is ${known}`)
}

/**
 * @param open Plays the rest of the reply. Not called where there is to be no stream.
 * @returns what the misbehaving StreamFn returns. The type is the lie that the script asked for.
 * @throws when the script asked for that.
 */
export function misbehave(
  how: readonly Malformation[],
  open: () => AssistantMessageEventStream,
): AssistantMessageEventStream {
  for (const kind of how) {
    if (kind in NO_STREAM) return NO_STREAM[kind as keyof typeof NO_STREAM]() as AssistantMessageEventStream
  }
  const stream = open()
  const kinds = how as readonly StreamMalformation[]
  const events = kinds.reduce<Events>((spoilt, kind) => SPOILERS[kind](spoilt), stream)
  return {
    [Symbol.asyncIterator]: () => events[Symbol.asyncIterator](),
    result: () => (kinds.some((kind) => WITHOUT_RESULT.has(kind)) ? pending() : stream.result()),
  }
}

const NO_STREAM = {
  throw: (): never => {
    throw new Error("The script asked the StreamFn to throw")
  },
  reject: (): unknown => Promise.reject(new Error("The script asked the StreamFn to reject")),
  "never-resolves": (): unknown => pending(),
  "no-stream": (): unknown => undefined,
}

const SPOILERS: Readonly<Record<StreamMalformation, (events: Events) => Events>> = {
  "iterator-throws": throwing,
  "no-terminal": withoutTerminal,
  "after-terminal": continuing,
  "no-result": (events) => events,
  "ignores-abort": unstoppable,
  "no-start": withoutStart,
  "delta-before-start": deltaFirst,
  "unknown-event": withUnknown,
  mutates: mutating,
}

const WITHOUT_RESULT: ReadonlySet<StreamMalformation> = new Set([
  "iterator-throws",
  "no-terminal",
  "no-result",
])

async function* throwing(events: Events): Events {
  for await (const event of events) {
    if (isTerminal(event)) throw new Error("The script asked the stream to throw")
    yield event
  }
}

async function* withoutTerminal(events: Events): Events {
  for await (const event of events) if (!isTerminal(event)) yield event
}

async function* continuing(events: Events): Events {
  let last: AssistantMessageEvent | undefined
  for await (const event of events) {
    yield event
    if (!isTerminal(event)) last = event
    else yield* last ? [last, event] : [event]
  }
}

function unstoppable(events: Events): Events {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = events[Symbol.asyncIterator]()
      return { next: () => iterator.next(), return: () => pending() }
    },
  }
}

async function* withoutStart(events: Events): Events {
  for await (const event of events) if (event.type !== "start") yield event
}

async function* deltaFirst(events: Events): Events {
  let held: AssistantMessageEvent | undefined
  for await (const event of events) {
    if (event.type.endsWith("_start")) {
      held = event
      continue
    }
    if (held && event.type.endsWith("_delta")) yield* [event, held]
    else yield* held ? [held, event] : [event]
    held = undefined
  }
}

async function* withUnknown(events: Events): Events {
  for await (const event of events) {
    yield { type: "weather_report" } as unknown as AssistantMessageEvent
    yield event
  }
}

async function* mutating(events: Events): Events {
  let message: AssistantMessage | undefined
  for await (const event of events) {
    const snapshot = messageOf(event)
    if (message) overwrite(message, snapshot)
    else message = structuredClone(snapshot)
    yield withMessage(event, message)
  }
}

function messageOf(event: AssistantMessageEvent): AssistantMessage {
  if (event.type === "done") return event.message
  return event.type === "error" ? event.error : event.partial
}

function withMessage(event: AssistantMessageEvent, message: AssistantMessage): AssistantMessageEvent {
  if (event.type === "done") return { ...event, message }
  if (event.type === "error") return { ...event, error: message }
  const spoilt = { ...event, partial: message }
  const block = "contentIndex" in event ? message.content[event.contentIndex] : undefined
  if (spoilt.type === "toolcall_end" && block?.type === "toolCall") return { ...spoilt, toolCall: block }
  if (spoilt.type === "opaque_end" && block?.type === "opaque") return { ...spoilt, content: block }
  return spoilt
}

/** Makes one object equal to the other, and keeps every object within it that it can. */
function overwrite(target: object, source: object): void {
  for (const key of Object.keys(target)) if (!(key in source)) Reflect.deleteProperty(target, key)
  for (const [key, value] of Object.entries(source)) {
    const old: unknown = Reflect.get(target, key)
    if (isObject(old) && isObject(value) && Array.isArray(old) === Array.isArray(value)) overwrite(old, value)
    else Reflect.set(target, key, structuredClone(value))
  }
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null
}

function isTerminal(event: AssistantMessageEvent): boolean {
  return event.type === "done" || event.type === "error"
}

function pending(): Promise<never> {
  return new Promise(() => {})
}
