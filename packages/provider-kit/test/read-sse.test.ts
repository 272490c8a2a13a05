import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { type ByteStream, type ReadSseOptions, readSse } from "../src/index.ts"

const encoder = new TextEncoder()

/** A body that sends these pieces and tells whether it was cancelled. */
function bodyOf(
  pieces: readonly (string | Uint8Array)[],
  end: "close" | "stay open" | Error = "close",
): { body: ReadableStream<Uint8Array>; cancelled: () => boolean } {
  let cancelled = false
  const left = pieces.map((piece) => (typeof piece === "string" ? encoder.encode(piece) : piece))
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      const piece = left.shift()
      if (piece) controller.enqueue(piece)
      else if (end === "close") controller.close()
      else if (end instanceof Error) controller.error(end)
    },
    cancel() {
      cancelled = true
    },
  })
  return { body, cancelled: () => cancelled }
}

async function read(
  body: ByteStream | null,
  options: Partial<ReadSseOptions> = {},
): Promise<{ events: unknown[]; names: (string | undefined)[] }> {
  const events: unknown[] = []
  const names: (string | undefined)[] = []
  const onEvent: ReadSseOptions["onEvent"] = (data, name) => {
    events.push(data)
    names.push(name)
  }
  await readSse(body, { signal: new AbortController().signal, onEvent, ...options })
  return { events, names }
}

describe("readSse", () => {
  test.each([
    { framing: "LF", text: 'data: {"a":1}\n\ndata: {"a":2}\n\n' },
    { framing: "CR LF", text: 'data: {"a":1}\r\n\r\ndata: {"a":2}\r\n\r\n' },
    { framing: "CR", text: 'data: {"a":1}\r\rdata: {"a":2}\r\r' },
    { framing: "no space after the colon", text: 'data:{"a":1}\n\ndata:{"a":2}\n\n' },
    { framing: "several data lines", text: 'data: {"a":\ndata: 1}\n\ndata: {"a"\ndata: :2}\n\n' },
    {
      framing: "comments and ids",
      text: ': hello\nid: 1\ndata: {"a":1}\n\n: ping\n\nretry: 5\ndata: {"a":2}\n\n',
    },
    { framing: "no final blank line", text: 'data: {"a":1}\n\ndata: {"a":2}\n' },
    { framing: "no final line break", text: 'data: {"a":1}\n\ndata: {"a":2}' },
    { framing: "a final CR LF alone", text: 'data: {"a":1}\r\n\r\ndata: {"a":2}\r\n' },
    { framing: "a byte order mark", text: '\uFEFFdata: {"a":1}\n\ndata: {"a":2}\n\n' },
    { framing: "[DONE]", text: 'data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\n' },
    {
      framing: "anything after [DONE]",
      text: 'data: {"a":1}\n\ndata: {"a":2}\n\ndata: [DONE]\n\ndata: no\n\n',
    },
    {
      framing: "data that is no object",
      text: 'data: {"a":1}\n\ndata:\n\ndata: 5\n\ndata: null\n\ndata: {"a":2}\n\n',
    },
  ])("reads events with $framing, cut anywhere", async ({ text }) => {
    const bytes = encoder.encode(text)
    for (const size of [1, 3, 7, bytes.length]) {
      const pieces = []
      for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.slice(at, at + size))
      expect((await read(bodyOf(pieces).body)).events).toEqual([{ a: 1 }, { a: 2 }])
    }
  })

  test("shows the text of a body as it comes, with what is no event", async () => {
    const text = 'data: {"a":"é"}\n\n{"error":{}}'
    const bytes = encoder.encode(text)
    const onText = vi.fn()

    await read(bodyOf([bytes.slice(0, 13), bytes.slice(13)]).body, { onText })

    expect(onText.mock.calls.flat()).toEqual([text.slice(0, 12), text.slice(12)])
  })

  test("reads the same events however the bytes of any text are cut", async () => {
    const values = fc.array(fc.string({ unit: "grapheme", maxLength: 20 }), { minLength: 1, maxLength: 8 })
    const breaks = fc.constantFrom("\n", "\r\n", "\r")
    await fc.assert(
      fc.asyncProperty(values, breaks, fc.array(fc.integer({ min: 1, max: 9 })), async (texts, end, cuts) => {
        const bytes = encoder.encode(
          texts.map((text) => `data: ${JSON.stringify({ text })}${end}${end}`).join(""),
        )
        const pieces: Uint8Array[] = []
        for (let at = 0, turn = 0; at < bytes.length; turn++) {
          const size = cuts[turn % Math.max(1, cuts.length)] ?? 4
          pieces.push(bytes.slice(at, at + size))
          at += size
        }
        expect((await read(bodyOf(pieces).body)).events).toEqual(texts.map((text) => ({ text })))
      }),
      { numRuns: 60 },
    )
  })

  test("passes the name of an event", async () => {
    const { names } = await read(bodyOf(['event: error\ndata: {"a":1}\n\ndata: {"a":2}\n\n']).body)

    expect(names).toEqual(["error", undefined])
  })

  test("drops a last event that was cut off, for the mapping to judge", async () => {
    const { events } = await read(bodyOf(['data: {"a":1}\n\ndata: {"a":']).body)

    expect(events).toEqual([{ a: 1 }])
  })

  test("fails on an event that is not JSON, without showing it, and closes the body", async () => {
    const { body, cancelled } = bodyOf(['data: {"a":1}\n\ndata: {secret-payload\n\n'], "stay open")
    const onEvent = vi.fn()

    const error: unknown = await read(body, { onEvent }).catch((thrown: unknown) => thrown)

    expect(error).toMatchObject({
      name: "StreamFailureError",
      message: "The server sent an event that is not JSON",
      failure: { code: "protocol", retryable: true },
    })
    expect(onEvent).toHaveBeenCalledOnce()
    expect(cancelled()).toBe(true)
  })

  test("fails on an event that is too long before it is complete", async () => {
    const { body, cancelled } = bodyOf([`data: ${"x".repeat(200)}`], "stay open")

    await expect(read(body, { longestEvent: 100 })).rejects.toMatchObject({ failure: { code: "protocol" } })
    expect(cancelled()).toBe(true)
  })

  test.each([
    { what: "nothing", text: "", says: /empty/ },
    { what: "white space", text: "\n\n", says: /empty/ },
    { what: "a page", text: "<html><body>Sign in</body></html>", says: /event stream/ },
    { what: "half of a JSON text", text: '{"error": {"mess', says: /event stream/ },
    { what: "comments alone", text: ": hello\n\n", says: /first event/ },
    { what: "a cut first event", text: 'data: {"a":', says: /first event/ },
  ])("fails on a body of $what", async ({ text, says }) => {
    await expect(read(bodyOf([text]).body)).rejects.toMatchObject({
      message: expect.stringMatching(says),
      failure: { code: "protocol", retryable: true },
    })
  })

  test("fails without a body", async () => {
    await expect(read(null)).rejects.toMatchObject({ failure: { code: "protocol" } })
  })

  test.each([
    {
      text: '{"error":{"message":"Overloaded","type":"overloaded_error"}}',
      code: "overloaded",
      says: "Overloaded",
    },
    {
      text: '[{\n  "error": {"code": 429, "message": "slow down"}\n}]',
      code: "rate_limit",
      says: "slow down",
    },
    { text: '{"detail":"odd"}', code: "protocol", says: "odd" },
  ])("takes $text for an error although the status was fine", async ({ text, code, says }) => {
    await expect(read(bodyOf([text]).body)).rejects.toMatchObject({ message: says, failure: { code } })
  })

  test("takes a JSON body without an error for the only events", async () => {
    expect((await read(bodyOf(['{"a":', "1}"]).body)).events).toEqual([{ a: 1 }])
    expect((await read(bodyOf(['[{"a":1},\n{"a":2}]']).body)).events).toEqual([{ a: 1 }, { a: 2 }])
  })

  test("takes a JSON body whole however long it is", async () => {
    const text = JSON.stringify({ a: "x".repeat(100_000) })

    expect((await read(bodyOf([text.slice(0, 5000), text.slice(5000)]).body)).events).toHaveLength(1)
  })

  test("stops when it is asked to and closes the body", async () => {
    const { body, cancelled } = bodyOf(
      ['data: {"a":1}\n\ndata: {"a":2}\n\n', 'data: {"a":3}\n\n'],
      "stay open",
    )
    const onEvent = vi.fn(() => true)

    await read(body, { onEvent })

    expect(onEvent).toHaveBeenCalledOnce()
    await vi.waitFor(() => expect(cancelled()).toBe(true))
  })

  test("passes on what the mapping throws and closes the body", async () => {
    const { body, cancelled } = bodyOf(['data: {"a":1}\n\n'], "stay open")
    const onEvent = (): never => {
      throw new Error("mapped")
    }

    await expect(read(body, { onEvent })).rejects.toThrow("mapped")
    expect(cancelled()).toBe(true)
  })

  test("passes on what the connection throws, after the events before it", async () => {
    const onEvent = vi.fn()

    await expect(read(bodyOf(['data: {"a":1}\n\n'], new Error("reset")).body, { onEvent })).rejects.toThrow(
      "reset",
    )
    expect(onEvent).toHaveBeenCalledOnce()
  })

  test("reads the async iterable that some fetch replacements have for a body", async () => {
    const closed = vi.fn()
    async function* chunks(): AsyncGenerator<Uint8Array | string> {
      try {
        yield encoder.encode('data: {"a":')
        yield "1}\n\n"
        yield 'data: {"a":2}\n\n'
      } finally {
        closed()
      }
    }

    expect((await read(chunks())).events).toEqual([{ a: 1 }, { a: 2 }])
    await read(chunks(), { onEvent: () => true })
    await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2))
  })

  describe("when the signal fires", () => {
    test.each(["before reading", "while waiting"])("%s, closes the body and returns", async (when) => {
      const controller = new AbortController()
      const { body, cancelled } = bodyOf(['data: {"a":1}\n\ndata: {"a":2}'], "stay open")
      const onEvent = vi.fn()
      if (when === "before reading") controller.abort()

      const reading = read(body, { onEvent, signal: controller.signal })
      await vi.waitFor(() => expect(onEvent).toHaveBeenCalledTimes(controller.signal.aborted ? 0 : 1))
      controller.abort()
      await reading

      expect(cancelled()).toBe(true)
    })

    test("leaves no listener when the body ended before", async () => {
      const { signal } = new AbortController()
      const add = vi.spyOn(signal, "addEventListener")
      const remove = vi.spyOn(signal, "removeEventListener")

      await read(bodyOf(['data: {"a":1}\n\n']).body, { signal })

      expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
    })
  })

  describe("after [DONE]", () => {
    beforeEach(() => void vi.useFakeTimers())
    afterEach(() => void vi.useRealTimers())

    test("reads the body's end, so that the connection can be used again", async () => {
      const { body, cancelled } = bodyOf(['data: {"a":1}\n\ndata: [DONE]\n\n'])

      await read(body)
      await vi.advanceTimersByTimeAsync(1000)

      expect(cancelled()).toBe(false)
      expect(vi.getTimerCount()).toBe(0)
    })

    test("returns at once and soon closes a body that stays open", async () => {
      const { body, cancelled } = bodyOf(['data: {"a":1}\n\ndata: [DONE]\n\n'], "stay open")

      await read(body)
      expect(cancelled()).toBe(false)
      await vi.advanceTimersByTimeAsync(100)

      expect(cancelled()).toBe(true)
      expect(vi.getTimerCount()).toBe(0)
    })

    test("closes a body that goes on", async () => {
      const { body, cancelled } = bodyOf(['data: {"a":1}\n\ndata: [DONE]\n\n', "data: more\n\n"], "stay open")

      await read(body)
      await vi.advanceTimersByTimeAsync(0)

      expect(cancelled()).toBe(true)
      expect(vi.getTimerCount()).toBe(0)
    })
  })
})
