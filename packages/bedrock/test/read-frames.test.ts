import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { crc32 } from "../src/crc32.ts"
import { type Frame, readFrames } from "../src/read-frames.ts"
import { delta, event, frame, HELLO, rawHeader, stringHeader } from "./event-stream.ts"

function asStream(pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  return (async function* () {
    yield* pieces
  })()
}

async function read(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  signal: AbortSignal = new AbortController().signal,
): Promise<Frame[]> {
  const frames: Frame[] = []
  const onFrame = ({ headers, payload }: Frame) => frames.push({ headers, payload: Uint8Array.from(payload) })
  await readFrames(asStream(pieces), { signal, onFrame })
  return frames
}

describe("readFrames", () => {
  test("reads headers and payloads", async () => {
    const payload = Buffer.from("héllo 👋")

    const [first, ...others] = await read([frame([stringHeader(":event-type", "größe")], payload)])

    expect(others).toEqual([])
    expect(first?.headers).toEqual({ ":event-type": "größe" })
    expect(Buffer.from(first?.payload ?? [])).toEqual(payload)
  })

  test("skips headers of every other type", async () => {
    const others = [
      rawHeader("true", 0, Buffer.alloc(0)),
      rawHeader("false", 1, Buffer.alloc(0)),
      rawHeader("byte", 2, Buffer.alloc(1)),
      rawHeader("short", 3, Buffer.alloc(2)),
      rawHeader("int", 4, Buffer.alloc(4)),
      rawHeader("long", 5, Buffer.alloc(8)),
      rawHeader("bytes", 6, Buffer.from([0, 3, 7, 7, 7])),
      rawHeader("time", 8, Buffer.alloc(8)),
      rawHeader("uuid", 9, Buffer.alloc(16)),
    ]

    const [first] = await read([frame([...others, stringHeader("last", "read")], "")])

    expect(first).toEqual({ headers: { last: "read" }, payload: new Uint8Array(0) })
  })

  test("reads the same messages however the bytes are cut", async () => {
    const long = delta(0, { text: "x".repeat(5000) })
    const bytes = Buffer.concat([...HELLO, long, frame([], ""), delta(0, { text: "👋" })])
    const whole = await read([bytes])
    expect(whole).toHaveLength(HELLO.length + 3)

    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(bytes.length), { maxLength: 40 }), async (borders) => {
        const sorted = [0, ...borders, bytes.length].toSorted((one, other) => one - other)
        const pieces = sorted.slice(1).map((border, index) => bytes.subarray(sorted[index], border))
        expect(await read(pieces)).toEqual(whole)
      }),
      { numRuns: 50 },
    )
    expect(await read(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(whole)
  })

  test("takes a body that ends inside a message for one that ends", async () => {
    const bytes = Buffer.concat([...HELLO])

    expect(await read([bytes.subarray(0, bytes.length - 1)])).toHaveLength(HELLO.length - 1)
    expect(await read([])).toEqual([])
  })

  test.each([
    { body: "<html><body>Please sign in</body></html>", of: "a page" },
    { body: '{"message":"hello"}', of: "JSON" },
    { body: 'data: {"type":"message_start"}\n\n', of: "another kind of stream" },
    { body: "\0".repeat(64), of: "zeros" },
  ])("refuses $of at once", async ({ body }) => {
    await expect(read([Buffer.from(body)])).rejects.toMatchObject({
      failure: { code: "protocol", retryable: true },
      message: "The server answered with something else than an AWS event stream",
    })
  })

  test("refuses a message of which any byte has changed", async () => {
    const sound = event("messageStart", { role: "assistant" })
    for (let at = 0; at < sound.length; at++) {
      const damaged = Buffer.from(sound)
      damaged[at]! ^= 0x20
      await expect(read([HELLO[0]!, damaged]), `byte ${at}`).rejects.toMatchObject({
        failure: { code: "protocol" },
        message: "An event of the stream arrived damaged",
      })
    }
  })

  test("refuses lengths that cannot be, although their sum is right", async () => {
    const prelude = (length: number, headersLength: number): Buffer => {
      const bytes = Buffer.alloc(16)
      bytes.writeUInt32BE(length, 0)
      bytes.writeUInt32BE(headersLength, 4)
      bytes.writeUInt32BE(crc32(bytes, 0, 8), 8)
      return bytes
    }
    for (const bytes of [prelude(0, 0), prelude(15, 0), prelude(16, 1), prelude(0xffffffff, 0)]) {
      await expect(read([bytes])).rejects.toMatchObject({ failure: { code: "protocol" } })
    }
  })

  test.each([
    { header: rawHeader("a", 10, Buffer.alloc(0)), of: "an unknown type" },
    { header: rawHeader("a", 7, Buffer.from([0, 9, 1])), of: "a value beyond its end" },
    { header: Buffer.from([200, 1]), of: "a name beyond its end" },
    { header: rawHeader("a", 7, Buffer.from([0])), of: "half a length" },
  ])("refuses a header with $of", async ({ header }) => {
    await expect(read([frame([header], "")])).rejects.toMatchObject({ failure: { code: "protocol" } })
  })

  test("passes on what the connection throws, and what the reader of the messages throws", async () => {
    const broken = new TypeError("terminated")
    async function* body(): AsyncGenerator<Uint8Array> {
      yield HELLO[0]!
      throw broken
    }
    await expect(read(body())).rejects.toBe(broken)

    const refused = new Error("enough")
    const onFrame = (): void => {
      throw refused
    }
    let isClosed = false
    const stream = new ReadableStream({
      pull: (controller) => controller.enqueue(HELLO[0]!),
      cancel: () => {
        isClosed = true
      },
    })
    const { signal } = new AbortController()
    await expect(readFrames(stream, { signal, onFrame })).rejects.toBe(refused)
    expect(isClosed).toBe(true)
  })

  test("closes the body when the signal fires", async () => {
    const controller = new AbortController()
    let isClosed = false
    const stream = new ReadableStream({
      start: (each) => each.enqueue(HELLO[0]!),
      cancel: () => {
        isClosed = true
      },
    })

    await readFrames(stream, { signal: controller.signal, onFrame: () => controller.abort() })

    expect(isClosed).toBe(true)
  })

  test("needs a body", async () => {
    const { signal } = new AbortController()

    await expect(readFrames(null, { signal, onFrame: () => {} })).rejects.toMatchObject({
      failure: { code: "protocol" },
    })
  })

  test("reads a long message that comes in small pieces in a time that grows with its length", async () => {
    const bytes = delta(0, { text: "x".repeat(4 * 1024 * 1024) })
    function* pieces(): Generator<Uint8Array> {
      for (let at = 0; at < bytes.length; at += 1024) yield bytes.subarray(at, at + 1024)
    }
    const begun = performance.now()

    expect(await read(pieces())).toHaveLength(1)

    expect(performance.now() - begun).toBeLessThan(2000)
  })
})
