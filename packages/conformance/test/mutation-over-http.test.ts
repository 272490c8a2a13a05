import { describe, expect, test } from "vitest"
import { type Capabilities, conformanceCases, runCase, runCases } from "../src/index.ts"
import { overHttp, proxyWire } from "../src/node.ts"
import { type Flaw, proxyStreamFn } from "./proxy-stream-fn.ts"

const CAPABILITIES: Capabilities = { http: true, toolCalls: true, images: true }

function overTheProxyWire(flaw?: Flaw, capabilities: Capabilities = CAPABILITIES) {
  return {
    connect: overHttp(proxyWire, ({ url, key }) => proxyStreamFn(url, key, flaw)),
    capabilities,
  }
}

function caseNamed(name: string) {
  const found = conformanceCases.find((one) => one.name === name)
  if (!found) throw new Error(`There is no case "${name}"`)
  return found
}

describe("the kit, over HTTP", () => {
  test.each<{ flaw: Flaw; fails: string; says: RegExp }>([
    {
      flaw: "decodes each packet alone",
      fails: "characters and events that are split between packets are put together",
      says: /^answer: content\[0\]: text (is|differs)/,
    },
    {
      flaw: "keeps the connection when nobody wants it any more",
      fails: "an abort in the middle of a response hangs up",
      says: /^request: the other side did not see the client hang up within 300 ms$/,
    },
    {
      flaw: "keeps the connection when nobody wants it any more",
      fails: "an abort before the response hangs up",
      says: /^request: the other side did not see the client hang up/,
    },
    {
      flaw: "keeps the connection when nobody wants it any more",
      fails: "a reader who leaves early hangs up",
      says: /^request: the other side did not see the client hang up/,
    },
    {
      flaw: "takes the end of the body for the end of the answer",
      fails: "a body that ends in the middle breaks the protocol and keeps the text",
      says: /^answer: the answer ended with stop, expected error$/,
    },
    {
      flaw: "takes the end of the body for the end of the answer",
      fails: "a page of something else with status 200 breaks the protocol",
      says: /^answer: the answer ended with stop, expected error$/,
    },
    {
      flaw: "skips what it cannot read",
      fails: "an event that cannot be read breaks the protocol and keeps the text",
      says: /^answer: the answer ended with stop, expected error$/,
    },
    {
      flaw: "quotes the key",
      fails: "status 401 becomes auth, in the vendor's words and without the key",
      says: /^secret: the key stands in the message$/,
    },
    {
      flaw: "has one code for every status",
      fails: "status 529 becomes overloaded, in the vendor's words and without the key",
      says: /^answer: failure\.code is unknown .*, expected overloaded$/,
    },
    {
      flaw: "forgets the status",
      fails: "status 404 becomes invalid_request, in the vendor's words and without the key",
      says: /^answer: failure\.status is undefined, expected 404$/,
    },
    {
      flaw: "does not tell how long to wait",
      fails: "the wait that the server asks for is told",
      says: /^answer: failure\.retryAfterMs is undefined, expected 7000$/,
    },
    {
      flaw: "tries again on its own account",
      fails: "status 500 becomes server, in the vendor's words and without the key",
      says: /^request: 2 requests reached the other side, expected 1$/,
    },
    {
      flaw: "says that the answer has begun before it has",
      fails: "a host where nobody listens is a network failure",
      says: /^answer: there are 2 events, expected a lone error$/,
    },
    {
      flaw: "leaves out the system prompt",
      fails: "the whole conversation reaches the model",
      says: /^request: the request does not hold "Marker of the system prompt\."$/,
    },
    {
      flaw: "leaves out images",
      fails: "an image reaches the model",
      says: /^request: the request does not hold "iVBORw0KGgo/,
    },
    {
      flaw: "stumbles over unknown events",
      fails: "events and fields of a future wire are ignored",
      says: /^answer: the answer ended with error/,
    },
  ])("catches a StreamFn that $flaw: $fails", async ({ flaw, fails, says }) => {
    const whole = await runCase(caseNamed(fails), overTheProxyWire())
    const broken = await runCase(caseNamed(fails), overTheProxyWire(flaw), {
      ...(says.source.includes("300 ms") && { deadlineMs: 300 }),
    })

    expect(whole).toMatchObject({ outcome: "passed", violations: [] })
    expect(broken.violations.map(({ message }) => message)).toContainEqual(expect.stringMatching(says))
  })

  test("catches capabilities that are claimed and not there", async () => {
    const claimed: Capabilities = {
      ...CAPABILITIES,
      retries: true,
      timeouts: true,
      hooks: true,
      usage: true,
      usageOnError: true,
    }
    const cases = [
      "an overloaded server is asked again",
      "a server that never answers is a timeout",
      "onPayload that throws is a failure in the stream",
      "onResponse that throws is a failure in the stream",
      "what onPayload returns is sent instead",
      "onResponse is told the status",
      "a failure keeps the usage seen so far",
      "an abort keeps the usage seen so far",
    ].map(caseNamed)

    const report = await runCases(overTheProxyWire(undefined, claimed), { cases, deadlineMs: 400 })

    expect(report.cases.filter(({ outcome }) => outcome !== "failed")).toEqual([])
  })
})
