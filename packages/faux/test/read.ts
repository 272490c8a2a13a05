import type { AssistantMessage, AssistantMessageEvent, AssistantMessageEventStream } from "@heddle/types"

/** Everything a reader gets of a stream that ends. */
export interface Reading {
  readonly events: AssistantMessageEvent[]
  readonly result: AssistantMessage
}

/** Reads a stream to its end. Each event is compared with its clone taken on delivery by the caller, if at all. */
export async function read(
  streaming: AssistantMessageEventStream | Promise<AssistantMessageEventStream>,
): Promise<Reading> {
  const stream = await streaming
  const events: AssistantMessageEvent[] = []
  for await (const event of stream) events.push(event)
  return { events, result: await stream.result() }
}

/** Freezes plain data at every depth, so that writing to it throws. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  }
  return value
}

/** The deltas of a stream, in order. */
export function deltasOf(events: readonly AssistantMessageEvent[]): string[] {
  return events.flatMap((event) => ("delta" in event ? [event.delta] : []))
}
