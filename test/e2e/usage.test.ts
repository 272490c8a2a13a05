/**
 * Every recorded answer is counted without overlap, and costs what its tokens do.
 *
 * The counts are held against the total that the vendor itself states, the cost against the prices, and where the
 * vendor states a bill, against that.
 */
import type { AssistantMessage, Usage } from "@heddle/types"
import { describe, expect, test } from "vitest"
import {
  HAS_RECORDINGS,
  PRICES,
  RECORDED_WIRES,
  type Recording,
  readRecording,
  recordingsOf,
  WHERE,
} from "./recordings.ts"

/** Reports more cached tokens than the prompt has, and a total that leaves them out. */
const MORE_CACHED_THAN_ASKED = "azure-chat/rubyllm--function_calling_azure_grok"

/** Vendors that say what they charge, with the field that says so and how many dollars one of it is. */
const BILLS: Readonly<Record<string, { readonly field: string; readonly dollars: number }>> = {
  openrouter: { field: "cost", dollars: 1 },
  perplexity: { field: "total_cost", dollars: 1 },
  xai: { field: "cost_in_usd_ticks", dollars: 1e-10 },
}

describe.runIf(HAS_RECORDINGS).each(RECORDED_WIRES)(`Of ${WHERE} of $api, every answer`, (wire) => {
  const reading = Promise.all(
    recordingsOf(wire).map(async (recording) => ({ recording, message: await readRecording(recording) })),
  )

  test("is counted in numbers that add up", async () => {
    const wrong = (await reading).filter(({ message }) => !addsUp(message.usage))
    const counted = (await reading).filter(({ message }) => message.usage.totalTokens > 0)

    expect(wrong.map(told)).toEqual([])
    expect(counted.length).toBeGreaterThan(20)
  })

  test("has the total that the vendor states, if it states one", async () => {
    const stated = (await reading).flatMap((each) => {
      const total = lastNumber(textOf(each.recording), ["total_tokens", "totalTokenCount", "totalTokens"])
      return total === undefined ? [] : { ...each, total }
    })
    const wrong = stated.filter(({ message, total }) => message.usage.totalTokens !== total)

    expect(
      wrong.filter(({ recording }) => !recording.name.startsWith(MORE_CACHED_THAN_ASKED)).map(told),
    ).toEqual([])
    if (wire.api !== "anthropic-messages") expect(stated.length).toBeGreaterThan(20)
  })

  test("costs what its tokens do, or what the vendor's bill says", async () => {
    const wrong = (await reading).filter(({ recording, message }) => {
      const { total, ...parts } = message.usage.cost
      const sum = Object.values(parts).reduce((one, other) => one + other, 0)
      return !isClose(sum, priceOf(message.usage)) || !isClose(total, billOf(recording) ?? sum)
    })

    expect(wrong.map(told)).toEqual([])
  })
})

function addsUp({ input, output, cacheRead, cacheWrite, totalTokens, ...parts }: Usage): boolean {
  const { reasoning = 0, cacheWriteLong = 0 } = parts
  const counters = [input, output, cacheRead, cacheWrite, reasoning, cacheWriteLong]
  return (
    counters.every((count) => Number.isSafeInteger(count) && count >= 0) &&
    totalTokens === input + output + cacheRead + cacheWrite &&
    reasoning <= output &&
    cacheWriteLong <= cacheWrite
  )
}

/** In US dollars. What is kept for an hour costs twice as much to write as to read. */
function priceOf({ input, output, cacheRead, cacheWrite, cacheWriteLong = 0 }: Usage): number {
  const long = cacheWriteLong * 2 * PRICES.input
  const short = (cacheWrite - cacheWriteLong) * PRICES.cacheWrite
  return (input * PRICES.input + output * PRICES.output + cacheRead * PRICES.cacheRead + short + long) / 1e6
}

function billOf(recording: Recording): number | undefined {
  const bill = BILLS[recording.provider]
  const stated = bill && lastNumber(textOf(recording), [bill.field])
  return stated === undefined ? undefined : stated * bill!.dollars
}

/** The last number of a field with one of these names: what is stated last counts. */
function lastNumber(text: string, fields: readonly string[]): number | undefined {
  const pattern = new RegExp(String.raw`"(?:${fields.join("|")})"\s*:\s*([\d.]+(?:[eE][+-]?\d+)?)`, "g")
  const last = [...text.matchAll(pattern)].at(-1)?.[1]
  return last === undefined ? undefined : Number(last)
}

function isClose(one: number, other: number): boolean {
  return Math.abs(one - other) < 1e-12
}

function textOf({ bytes }: Recording): string {
  return Buffer.from(bytes).toString("latin1")
}

function told({ recording, message }: { recording: Recording; message: AssistantMessage }): string {
  return `${recording.name}: ${JSON.stringify(message.usage)}`
}
