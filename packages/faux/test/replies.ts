import fc from "fast-check"
import { callTool, cut, fail, opaque, type ReplyPart, say, stop, think, usage } from "../src/index.ts"

const text = fc.string({ unit: "binary", maxLength: 20 })
const signature = fc.option(text, { nil: undefined })
/** As it comes back from its text, which knows no -0. */
export const json: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 2 })
  .map((value) => JSON.parse(JSON.stringify(value)))

/** Reasoning is a part of the output, so it is never more. */
const counts = fc.record({ input: fc.nat(), output: fc.nat(), reasoning: fc.nat() }).map((report) => ({
  input: report.input,
  output: report.output + report.reasoning,
  reasoning: report.reasoning,
}))

const content: fc.Arbitrary<ReplyPart> = fc.oneof(
  fc.tuple(text, signature).map(([words, sealed]) => say(words, { signature: sealed })),
  fc.tuple(text, signature).map(([words, sealed]) => think(words, { signature: sealed })),
  text.map((words) => think(words, { redacted: true })),
  fc.dictionary(text, json).map((args) => callTool("tool", args)),
  text.map((broken) => callTool("tool", `{"a": ${broken}`)),
  fc.tuple(text, json).map(([kind, data]) => opaque(kind, data)),
  counts.map((report) => usage(report)),
)

const ending: fc.Arbitrary<ReplyPart[]> = fc.oneof<fc.Arbitrary<ReplyPart[]>[]>(
  fc.constant([]),
  fc.constantFrom("stop" as const, "length" as const).map((reason) => [stop(reason, "raw")]),
  fc.constantFrom("network" as const, "auth" as const, "aborted" as const).map((code) => [fail({ code })]),
  fc.constant([cut()]),
)

/** Replies that end by themselves. */
export const replies: fc.Arbitrary<ReplyPart[]> = fc
  .tuple(fc.array(content, { maxLength: 6 }), ending)
  .map(([parts, end]) => [...parts, ...end])
