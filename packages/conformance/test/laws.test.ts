import { AssistantMessageBuilder } from "@heddle/stream"
import type { AssistantMessageEvent } from "@heddle/types"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { Deliveries } from "../src/deliveries.ts"
import { checkEvents, fold } from "../src/index.ts"

const key = fc.constantFrom(0, 1, 2, "a")

/** Anything an adapter may do to a builder, sensible or not. */
const verb = fc.oneof(
  fc.tuple(key, fc.string({ unit: "grapheme", maxLength: 8 })).map(
    ([at, text]) =>
      (to: AssistantMessageBuilder) =>
        to.text(at, text),
  ),
  fc.tuple(key, fc.string({ maxLength: 8 })).map(
    ([at, text]) =>
      (to: AssistantMessageBuilder) =>
        to.thinking(at, text),
  ),
  fc.tuple(key, fc.string({ maxLength: 4 })).map(
    ([at, value]) =>
      (to: AssistantMessageBuilder) =>
        to.signature(at, value),
  ),
  fc.tuple(key, fc.string({ maxLength: 4 })).map(
    ([at, data]) =>
      (to: AssistantMessageBuilder) =>
        to.redactedThinking(at, data),
  ),
  fc.tuple(key, fc.constantFrom("", "id", "other"), fc.constantFrom("", "read")).map(
    ([at, id, name]) =>
      (to: AssistantMessageBuilder) =>
        to.toolCall(at, { id, name }),
  ),
  fc.tuple(key, fc.constantFrom('{"a":', "1", "}", '{"a":1}', "nul", '"x', "[", "", " ")).map(
    ([at, json]) =>
      (to: AssistantMessageBuilder) =>
        to.toolInput(at, json),
  ),
  fc.tuple(key, fc.dictionary(fc.string({ maxLength: 3 }), fc.jsonValue(), { maxKeys: 3 })).map(
    ([at, args]) =>
      (to: AssistantMessageBuilder) =>
        to.toolArguments(at, args),
  ),
  fc.tuple(key, fc.jsonValue()).map(
    ([at, data]) =>
      (to: AssistantMessageBuilder) =>
        to.opaque(at, "kind", data),
  ),
  key.map((at) => (to: AssistantMessageBuilder) => to.close(at)),
  fc.nat(100).map((input) => (to: AssistantMessageBuilder) => to.usage({ input, cacheRead: 1 })),
)

const ending = fc.constantFrom(
  (to: AssistantMessageBuilder) => to.done("stop"),
  (to: AssistantMessageBuilder) => to.done("length"),
  (to: AssistantMessageBuilder) => to.fail({ code: "server", retryable: true }, "Failed"),
  (to: AssistantMessageBuilder) => to.abort(),
)

describe("whatever is said to a message builder", () => {
  test("its events obey the grammar, fold into its result and never change", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(verb, { maxLength: 20 }), ending, async (verbs, end) => {
        const builder = new AssistantMessageBuilder({ api: "test", provider: "test", id: "test-1" })
        const deliveries = new Deliveries()
        const events: AssistantMessageEvent[] = []
        const reading = (async () => {
          for await (const event of builder.stream) {
            deliveries.add(event)
            events.push(event)
          }
        })()
        for (const say of verbs) say(builder)
        end(builder)
        await reading

        expect(checkEvents(events)).toEqual([])
        expect(fold(events)).toStrictEqual(await builder.stream.result())
        expect(deliveries.violations()).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
