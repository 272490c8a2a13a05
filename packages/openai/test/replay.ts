/** Lets a mapping write a message, without a network. */
import { classifyError } from "@heddle/provider-kit"
import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessage, AssistantMessageEvent, Model } from "@heddle/types"

export interface Replay {
  readonly events: readonly AssistantMessageEvent[]
  readonly message: AssistantMessage
}

/** @param write Ends the message, or throws what fails it. */
export async function replay(
  model: Model,
  write: (builder: AssistantMessageBuilder) => Promise<void>,
): Promise<Replay> {
  let calls = 0
  const builder = new AssistantMessageBuilder(model, {
    now: () => 0,
    createToolCallId: () => `made-up-${++calls}`,
  })
  try {
    await write(builder)
  } catch (error) {
    const { failure, message } = classifyError(error)
    builder.fail(failure, message)
  }
  const reader = builder.stream[Symbol.asyncIterator]()
  const events: AssistantMessageEvent[] = []
  for (let event = reader.take(); event; event = reader.take()) events.push(event)
  return { events, message: builder.message }
}

/** A body as it comes over the network. */
export async function* asBody(pieces: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* pieces
}
