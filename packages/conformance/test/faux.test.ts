import { faux, fauxModel, type Malformation, malformed, record, replay } from "@heddle/faux"
import type { StreamFn } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { conformanceCases, runCases } from "../src/index.ts"
import { describeStreamFn } from "../src/vitest.ts"
import { FAUX_CAPABILITIES, fauxHarness, toReply } from "./faux-harness.ts"

describeStreamFn("faux", fauxHarness({ chunkSize: 64 }))

describeStreamFn(
  "faux while it is recorded",
  fauxHarness({ chunkSize: 64 }, (streamFn) => record(streamFn, () => {})),
)

describeStreamFn("a recording of faux that is played back", {
  capabilities: FAUX_CAPABILITIES,
  connect: async (scenario) => {
    let recording = ""
    const streamFn = record(faux([toReply(scenario), toReply(scenario)], { chunkSize: 64 }), (line) => {
      recording += line
    })
    for (const call of [streamFn, streamFn]) await listen(call)
    await streamFn.flush()
    return { streamFn: replay(recording), model: fauxModel() }
  },
})

/** Reads to the end, which a script that hangs has only when it is aborted. */
async function listen(streamFn: StreamFn): Promise<void> {
  const signal = AbortSignal.timeout(50)
  const context = { messages: [] }
  for await (const _ of await streamFn(fauxModel(), context, { signal }));
}

describe("the kit, on a script that asks to be malformed", () => {
  const malformations: Record<Malformation, RegExp> = {
    throw: /^never-throws/,
    reject: /^never-rejects/,
    "never-resolves": /^bounded-time/,
    "no-stream": /^shape/,
    "iterator-throws": /^never-throws/,
    "no-terminal": /^terminal/,
    "after-terminal": /^terminal/,
    "no-result": /^result/,
    "ignores-abort": /^bounded-time/,
    "no-start": /^start/,
    "delta-before-start": /^block-order/,
    "unknown-event": /^shape/,
    mutates: /^delivered-unchanged/,
  }

  test.each(Object.entries(malformations))("catches %s", async (how, says) => {
    const report = await runCases(
      {
        capabilities: FAUX_CAPABILITIES,
        connect: (scenario) => ({
          streamFn: faux([[malformed(how as Malformation), ...toReply(scenario)]]),
          model: fauxModel(),
        }),
      },
      {
        cases: conformanceCases.filter(
          ({ name }) =>
            name === "text arrives as the model said it" ||
            name === "an abort in the middle of a text keeps the text",
        ),
        deadlineMs: 300,
      },
    )

    const messages = report.cases.flatMap(({ violations }) => violations.map(({ message }) => message))
    expect(messages).toContainEqual(expect.stringMatching(says))
  })
})
