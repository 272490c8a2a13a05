import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { PartialJson, parseStreamingJson } from "../src/partial-json.ts"

/** Small texts, valid and not, that between them touch every rule of the grammar. */
const TEXTS: readonly string[] = [
  "",
  " ",
  "null",
  " true\n",
  "false",
  "nul",
  "nulls",
  "True",
  "undefined",
  "NaN",
  "-Infinity",
  "0",
  "-0",
  "[-0]",
  "12 ",
  "1.50",
  "1e400",
  "-1e400",
  "1E+2",
  "5e-324",
  "123456789012345678901234567890",
  "0.1234567890123456789012345678901234567890",
  "9007199254740993",
  "-",
  "[-]",
  "+1",
  "01",
  "-01",
  "1.",
  "[1.]",
  ".5",
  "1.e5",
  "1e",
  "1e+",
  "[1e+]",
  "1.2.3",
  "1-2",
  "--1",
  "0x10",
  "1_000",
  "1 2",
  '""',
  '"a\\"\\\\\\/\\b\\f\\n\\r\\tz"',
  '"\\u0041\\u00e9\\uD83D\\uDE00"',
  '"\\ud83d"',
  '"\\ude00\\ud83d"',
  '"\\ud83dx"',
  '"\\ud83d\\n"',
  '"\\ud83d\\ud83d\\ude00"',
  '"\\ud83d\ude00"',
  '"\ud83d\\ude00"',
  '"\ud83d"',
  '"\ude00"',
  '"😀é中\u2028\u007f\u0000"',
  '"\u001f"',
  '"a\nb"',
  '"\\x41"',
  '"\\u12g4"',
  '"\\u+123"',
  '"\\u 123"',
  '"\\U0041"',
  '"\\',
  '"\\u12',
  '"abc',
  "'a'",
  "[]",
  "{}",
  " [ ] ",
  "\t{\r\n}\n",
  "[1,2,3]",
  "[1,]",
  "[,1]",
  "[1 2]",
  "[1,,2]",
  "[",
  "[1",
  "[1,",
  "[]]",
  "[}",
  '{"a":1}',
  '{"a":1,}',
  "{,}",
  '{"a"}',
  '{"a":}',
  '{"a":1 "b":2}',
  '{"a",1}',
  "{a:1}",
  '{1:"a"}',
  '{"a":1',
  '{"a":',
  '{"a',
  "{",
  "}",
  '{"a":{"b":[{"c":null},"d"]},"e":[[],{}]}',
  '{"a":1,"a":2}',
  '{"a":{"x":1},"b":0,"a":[]}',
  '{"":1}',
  '{"\\u0061":1,"\\ud83d":2}',
  '{"2":"b","1":"a","x":0}',
  '{"__proto__":{"polluted":1}}',
  '{"__proto__":1,"__proto__":[2]}',
  '{"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":null}',
  "[1] x",
  "[1] []",
  "nullnull",
  "/* a */ 1",
  "\ufeff1",
  "\u00a01",
  "\v1",
  "1\u2003",
]

describe("PartialJson.finish", () => {
  test.each(TEXTS)("agrees with JSON.parse about %j, wherever it is cut", (text) => {
    for (const pieces of everySplit(text)) {
      expect(outcome(read(pieces))).toBe(parsed(text))
    }
  })

  test("agrees with JSON.parse about any document in any pieces", () => {
    fc.assert(
      fc.property(json(), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (text, lengths) => {
        expect(outcome(read(cut(text, lengths)))).toBe(parsed(text))
      }),
    )
  })

  test("agrees with JSON.parse about documents with a fault", () => {
    const noise = fc.constantFrom(
      ...'{}[],:"\\u01-+.eEtn \n'.split(""),
      "",
      "\ud83d",
      "\\ude00",
      '"a":',
      "null",
    )
    fc.assert(
      fc.property(json(), fc.nat(), noise, fc.nat(2), fc.nat(8), (text, at, inserted, removed, length) => {
        const place = at % (text.length + 1)
        const faulty = text.slice(0, place) + inserted + text.slice(place + removed)

        expect(outcome(read(chunks(faulty, length + 1)))).toBe(parsed(faulty))
      }),
      { numRuns: 1000 },
    )
  })

  test("keeps the order of keys, -0, and keys like __proto__ as JSON.parse does", () => {
    const text = '{"b":-0,"__proto__":{"x":1},"10":1,"9":2,"constructor":3,"b":4}'
    const { value } = read(chunks(text, 1)).finish() as { value: Record<string, unknown> }

    expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)))
    expect(Object.hasOwn(value, "__proto__")).toBe(true)
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
    expect(({} as { x?: unknown }).x).toBeUndefined()
  })

  test.each([
    { text: "", error: "The JSON is empty", cut: true },
    { text: " \n", error: "The JSON is empty", cut: true },
    { text: '{"path":"src/a', error: "cut off at character 14: expected the rest of a string", cut: true },
    { text: '{"path', error: "cut off at character 6: expected the rest of a string", cut: true },
    { text: '{"path"', error: 'cut off at character 7: expected ":"', cut: true },
    { text: '{"path":', error: "cut off at character 8: expected a value", cut: true },
    { text: "{", error: 'cut off at character 1: expected a key in double quotes or "}"', cut: true },
    { text: '{"a":1,', error: "cut off at character 7: expected a key in double quotes", cut: true },
    { text: '{"a":true', error: 'cut off at character 9: expected "," or "}"', cut: true },
    { text: "[", error: 'cut off at character 1: expected a value or "]"', cut: true },
    { text: "[[]", error: 'cut off at character 3: expected "," or "]"', cut: true },
    { text: "[1.", error: "cut off at character 3: expected the rest of a number", cut: true },
    { text: "-", error: "cut off at character 1: expected the rest of a number", cut: true },
    { text: "[tru", error: "cut off at character 4: expected the rest of true, false or null", cut: true },
    { text: '"\\', error: "cut off at character 2: expected the rest of an escape sequence", cut: true },
    { text: '"\\u00', error: "cut off at character 5: expected four hexadecimal digits", cut: true },
    {
      text: "{'a':1}",
      error: 'malformed at character 1: expected a key in double quotes or "}", found "\'"',
    },
    { text: '{"a":1,}', error: 'malformed at character 7: expected a key in double quotes, found "}"' },
    { text: '{"a";', error: 'malformed at character 4: expected ":", found ";"' },
    { text: "[1 2]", error: 'malformed at character 3: expected "," or "]", found "2"' },
    { text: '{"a":1]', error: 'malformed at character 6: expected "," or "}", found "]"' },
    { text: "[1,]", error: 'malformed at character 3: expected a value, found "]"' },
    { text: "[01]", error: 'malformed at character 2: expected a number, found "1"' },
    { text: "[01", error: 'malformed at character 2: expected a number, found "1"' },
    { text: "1.e5", error: 'malformed at character 2: expected a number, found "e"' },
    { text: "[1.]", error: 'malformed at character 3: expected the rest of a number, found "]"' },
    { text: "[nil]", error: 'malformed at character 2: expected the rest of true, false or null, found "i"' },
    { text: '"\\x"', error: 'malformed at character 2: expected the rest of an escape sequence, found "x"' },
    { text: '"\\u00g0"', error: 'malformed at character 5: expected four hexadecimal digits, found "g"' },
    {
      text: '"a\nb"',
      error: 'malformed at character 2: expected control characters to be escaped, found "\\n"',
    },
    { text: "{} {}", error: 'malformed at character 3: expected nothing more, found "{"' },
    { text: '<a "secret">', error: 'malformed at character 0: expected a value, found "<"' },
  ])("says of $text how and where it fails", ({ text, error, cut }) => {
    for (const pieces of everySplit(text)) {
      const finished = read(pieces).finish()

      expect(finished).toEqual({ error: expect.stringContaining(error), cut: cut ?? false })
    }
  })

  test("calls every beginning of a document cut off, unless it is a number already", () => {
    fc.assert(
      fc.property(json(), fc.nat(), (text, at) => {
        const beginning = text.trim().slice(0, at % text.trim().length)
        const finished = read([beginning]).finish()

        expect("error" in finished ? finished.cut : typeof finished.value).toBe(
          "error" in finished ? true : "number",
        )
      }),
    )
  })

  test("never tells more of the text than one character", () => {
    fc.assert(
      fc.property(fc.string({ minLength: 20, unit: "grapheme-ascii" }), (secret) => {
        const finished = read([`{"key":${JSON.stringify(secret)}, ${secret}`]).finish()

        expect("error" in finished && finished.error.includes(secret)).toBe(false)
      }),
    )
  })

  test("changes nothing: more text may follow, and the first error stays", () => {
    const json = read(["[1"])

    expect(json.finish()).toMatchObject({ cut: true })
    json.append("2, tru")
    expect(json.finish()).toMatchObject({ cut: true })
    json.append("e]")
    expect(json.finish()).toEqual({ value: [12, true] })
    json.append(" ]")
    const failed = json.finish()
    json.append('{"a":1}')
    expect(json.finish()).toEqual(failed)
  })

  test("gives the object that value shows", () => {
    const json = read(chunks('{"a":[1,{"b":"c"}]}', 2))

    expect(json.finish()).toEqual({ value: json.value })
    expect((json.finish() as { value: unknown }).value).toBe(json.value)
  })
})

describe("PartialJson.value", () => {
  test.each([
    { text: "", value: undefined },
    { text: "  ", value: undefined },
    { text: "12", value: undefined },
    { text: "12 ", value: 12 },
    { text: "tru", value: undefined },
    { text: "true", value: true },
    { text: '"', value: "" },
    { text: '"ab', value: "ab" },
    { text: "{", value: {} },
    { text: '{"pa', value: {} },
    { text: '{"path"', value: {} },
    { text: '{"path":', value: {} },
    { text: '{"path":"', value: { path: "" } },
    { text: '{"path":"a.t', value: { path: "a.t" } },
    { text: '{"path":"a.ts","n":4', value: { path: "a.ts" } },
    { text: '{"path":"a.ts","n":4,', value: { path: "a.ts", n: 4 } },
    { text: '{"a":[', value: { a: [] } },
    { text: '{"a":[1,2', value: { a: [1] } },
    { text: '{"a":[1,[fal', value: { a: [1, []] } },
    { text: '[{"a":"b"},{"a":"c', value: [{ a: "b" }, { a: "c" }] },
    { text: '[null,"x', value: [null, "x"] },
    { text: '"a\\', value: "a" },
    { text: '"a\\u00e', value: "a" },
    { text: '"a\\u00e9', value: "aé" },
    { text: '"a\\ud83d', value: "a" },
    { text: '"a\\ud83d\\ude0', value: "a" },
    { text: '"a\\ud83d\\ude00', value: "a😀" },
    { text: '"a\ud83d', value: "a" },
    { text: '"a\ud83d\ude00', value: "a😀" },
    { text: '"a\\ud83dx', value: "a\ud83dx" },
    { text: '"a\\ud83d\\n', value: "a\ud83d\n" },
    { text: '"a\\ud83d"', value: "a\ud83d" },
    { text: '"\\ude00', value: "\ude00" },
    { text: '{"a":1,"a":"x', value: { a: "x" } },
    { text: '{"a":1} garbage', value: { a: 1 } },
    { text: '{"a":"b", oops "c":1}', value: { a: "b" } },
    { text: '{"a":"b\\q', value: { a: "b" } },
    { text: '[1,{"b":2x', value: [1, { b: 2 }] },
  ])("shows of $text what can be read", ({ text, value }) => {
    for (const pieces of everySplit(text)) {
      expect(read(pieces).value).toStrictEqual(value)
      expect(readEach(pieces).at(-1)).toStrictEqual(value)
    }
  })

  test("shows beginnings of the final value only, and never changes what it showed", () => {
    fc.assert(
      fc.property(json(), fc.infiniteStream(fc.integer({ min: 1, max: 9 })), (text, lengths) => {
        const json = new PartialJson()
        const shown: unknown[] = []
        const spelled: string[] = []
        for (const piece of cut(text, lengths)) {
          json.append(piece)
          shown.push(json.value)
          spelled.push(spell(json.value))
        }

        expect(shown.map(spell)).toEqual(spelled)
        for (const value of shown) expect(isBeginning(value, JSON.parse(text))).toBe(true)
      }),
    )
  })

  test("never shows half a surrogate pair that is whole in the end", () => {
    const text = JSON.stringify({ text: "a😀b👩‍👩‍👧 \u{10ffff}" })
    const escaped = text.replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    )

    for (const form of [text, escaped]) {
      for (const value of readEach(chunks(form, 1))) expect(JSON.stringify(value) ?? "").not.toMatch(/\\ud/)
    }
  })

  test("shares what is closed, and is the same snapshot when nothing can be seen to have changed", () => {
    const json = new PartialJson()
    json.append('{"head":{"list":[1,2]},"text":"a')
    const before = json.value as { head: object; text: string }
    json.append("b")
    const after = json.value as { head: object; text: string }

    expect(after).not.toBe(before)
    expect(after.head).toBe(before.head)
    expect([before.text, after.text]).toEqual(["a", "ab"])

    for (const invisible of ["", "\\", "u00", "e9", '"', " , ", '"key', '"', ":", "12", "3"]) {
      const shown = json.value
      json.append(invisible)
      if (invisible !== "e9" && invisible !== '"') expect(json.value).toBe(shown)
    }
  })

  test("keeps __proto__ an own property while it is open, and pollutes nothing", () => {
    for (const value of readEach(chunks('[{"__proto__":{"x":"y"}}]', 1))) {
      const [first] = (value ?? []) as [object?]
      expect(Object.getPrototypeOf(first ?? {})).toBe(Object.prototype)
      expect((first as { x?: unknown } | undefined)?.x).toBeUndefined()
    }
    expect(readEach(['[{"__proto__":{"x":"y'])).toStrictEqual([JSON.parse('[{"__proto__":{"x":"y"}}]')])
  })

  test("writes own properties where Object.prototype has one that cannot be overwritten", () => {
    Object.defineProperty(Object.prototype, "locked", { value: 1, writable: false, configurable: true })
    try {
      expect(readEach(chunks('{"locked":"own","a":{"locked":2}}', 1)).at(-1)).toEqual(
        JSON.parse('{"locked":"own","a":{"locked":2}}'),
      )
    } finally {
      delete (Object.prototype as { locked?: unknown }).locked
    }
  })
})

describe("PartialJson.complete", () => {
  test.each([
    { text: "", complete: false },
    { text: "12", complete: false },
    { text: "12 ", complete: true },
    { text: "true", complete: true },
    { text: "tru", complete: false },
    { text: '"a', complete: false },
    { text: '"a"', complete: true },
    { text: '{"a":1', complete: false },
    { text: '{"a":1}', complete: true },
    { text: '{"a":1} \n', complete: true },
    { text: '{"a":1} x', complete: false },
    { text: "[}", complete: false },
  ])("is $complete after $text", ({ text, complete }) => {
    for (const pieces of everySplit(text)) expect(read(pieces).complete).toBe(complete)
  })
})

describe("PartialJson under hostile input", () => {
  test("reads 1024 open containers, and refuses the next one in words", () => {
    const deep = (depth: number) => '[{"a":'.repeat(depth / 2)

    expect(read([deep(1024), "1", "}]".repeat(512)]).finish()).toHaveProperty("value")

    const json = read([deep(1024)])
    const shown = json.value
    json.append("[")
    expect(json.finish()).toEqual({
      error: "The JSON is nested deeper than 1024 levels at character 3072",
      cut: false,
    })
    expect(json.value).toStrictEqual(shown)
    expect(json.complete).toBe(false)
  })

  test.each(["[", '{"a":', '[{"":'])("never overflows the stack on a million times %j", (opening) => {
    const json = read([opening.repeat(1_000_000)])

    expect(json.finish()).toMatchObject({ error: expect.stringContaining("nested deeper than") })
    expect(json.value).toBeDefined()
  })

  test("gives a value at the bound that recursive code survives", () => {
    const { value } = read(["[".repeat(1024), "]".repeat(1024)]).finish() as { value: unknown }

    expect(JSON.stringify(structuredClone(value))).toHaveLength(2048)
  })

  test("reads a number of a million digits, in one piece and in many", () => {
    const text = `[${"1".repeat(1_000_000)}]`

    expect(read([text]).finish()).toEqual({ value: [Number.POSITIVE_INFINITY] })
    expect(read(chunks(text, 100)).finish()).toEqual({ value: [Number.POSITIVE_INFINITY] })
  })
})

describe("PartialJson's cost", () => {
  test("looks at each character of a string once, also when value is read after every piece", () => {
    const text = JSON.stringify({ path: "a", content: "some text, ".repeat(10_000) })
    const pieces = chunks(text, 20)
    const looks = vi.spyOn(String.prototype, "charCodeAt")

    readEach(pieces)
    const count = looks.mock.calls.length
    looks.mockRestore()

    expect(count).toBeGreaterThan(text.length / 2)
    expect(count).toBeLessThan(text.length * 1.2)
  })

  test.each([
    { shape: "a wide array", text: JSON.stringify(Array.from({ length: 20_000 }, (_, index) => index)) },
    {
      shape: "a wide array inside an object",
      text: JSON.stringify({ a: Array.from({ length: 20_000 }, (_, index) => index) }),
    },
    {
      shape: "a wide object",
      text: JSON.stringify(
        Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`k${index}`, index])),
      ),
    },
    {
      shape: "a long string behind a wide array",
      text: JSON.stringify([...Array.from({ length: 2_000 }, (_, index) => index), "x".repeat(100_000)]),
    },
  ])("copies linearly many entries when value is read at every piece of $shape", ({ text }) => {
    const json = new PartialJson()
    let copied = 0
    let last: unknown
    for (const piece of chunks(text, 4)) {
      json.append(piece)
      if (json.value !== last) copied += openEntries(json.value)
      last = json.value
    }

    expect(last).toStrictEqual(JSON.parse(text))
    expect(copied).toBeLessThan(8 * text.length)
  })

  test("copies 256 entries per read at most when containers are many and small", () => {
    const pieces = chunks(`${'[0,{"a":'.repeat(500)}1${"}]".repeat(500)}`, 4)
    const json = new PartialJson()
    let copied = 0
    let last: unknown
    for (const piece of pieces) {
      json.append(piece)
      if (json.value !== last) copied += openEntries(json.value)
      last = json.value
    }

    expect(copied).toBeLessThan(256 * pieces.length)
  })

  test("shows at least fifteen sixteenths of a wide container, and a long string in it as it grows", () => {
    const json = new PartialJson()
    json.append("[")
    for (let length = 1; length <= 5_000; length++) {
      json.append(`${length},`)
      expect((json.value as unknown[]).length).toBeGreaterThan(length * (15 / 16) - 1)
    }
    json.append('"')
    for (let length = 20; length <= 50_000; length += 20) {
      json.append("x".repeat(20))
      const text = (json.value as unknown[])[5_000] as string | undefined
      expect(text?.length ?? 0).toBeGreaterThan(length - 5_100)
    }
  })

  test("shows everything after finish, however wide the containers are", () => {
    const json = new PartialJson()
    json.append(`{"a":[${"1,".repeat(5_000)}`)
    expect((json.value as { a: unknown[] }).a).toHaveLength(5_000)
    json.append('2,"x')
    expect((json.value as { a: unknown[] }).a).toHaveLength(5_000)

    expect(json.finish()).toMatchObject({ cut: true })

    expect((json.value as { a: unknown[] }).a.slice(-2)).toEqual([2, "x"])
  })
})

describe("parseStreamingJson", () => {
  test.each([
    { text: "", value: undefined },
    { text: "  ", value: undefined },
    { text: "nu", value: undefined },
    { text: "{", value: {} },
    { text: '{"path":"src/in', value: { path: "src/in" } },
    { text: '{"edits":[{"from":"a","to', value: { edits: [{ from: "a" }] } },
    { text: '{"a":1}', value: { a: 1 } },
    { text: "not JSON", value: undefined },
  ])("reads $text as $value", ({ text, value }) => {
    expect(parseStreamingJson(text)).toStrictEqual(value)
  })
})

function read(pieces: readonly string[]): PartialJson {
  const json = new PartialJson()
  for (const piece of pieces) json.append(piece)
  return json
}

/** The values shown after each piece. */
function readEach(pieces: readonly string[]): unknown[] {
  const json = new PartialJson()
  return pieces.map((piece) => {
    json.append(piece)
    return json.value
  })
}

/** In one piece, in two at every place, and character by character. */
function everySplit(text: string): string[][] {
  const splits = [[text], chunks(text, 1)]
  for (let at = 1; at < text.length; at++) splits.push([text.slice(0, at), text.slice(at)])
  return splits
}

function chunks(text: string, length: number): string[] {
  const pieces = [""]
  for (let at = 0; at < text.length; at += length) pieces.push(text.slice(at, at + length))
  return pieces
}

function cut(text: string, lengths: Iterator<number>): string[] {
  const pieces: string[] = []
  let at = 0
  while (at < text.length) {
    const end = at + (lengths.next().value as number)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

function outcome(json: PartialJson): string {
  const finished = json.finish()
  return "error" in finished ? "rejected" : spell(finished.value)
}

function parsed(text: string): string {
  try {
    return spell(JSON.parse(text))
  } catch {
    return "rejected"
  }
}

/** A value to the last bit: keys in their order, and the numbers that JSON cannot write. */
function spell(value: unknown): string {
  return JSON.stringify(value, (_key, part) =>
    typeof part === "number" ? { number: Object.is(part, -0) ? "-0" : String(part) } : part,
  )
}

/** JSON texts as programs and models write them: any white space, any escapes, any characters, unique keys. */
function json(): fc.Arbitrary<string> {
  const key = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom("__proto__", "constructor", "toString", "a"),
  )
  const value = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom(null, true, false, -0, 0, 1e21, 5e-324),
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.integer({ min: 0xd700, max: 0xe0ff }).map((unit) => String.fromCharCode(unit)) }),
      fc.array(tie("value"), { maxLength: 5 }),
      fc
        .uniqueArray(fc.tuple(key, tie("value")), { maxLength: 5, selector: ([name]) => name })
        .map((entries) => Object.fromEntries(entries)),
    ),
  })).value
  const space = fc.constantFrom<string | number | undefined>(undefined, 1, "\t", " \r\n")
  return fc.tuple(value, space, fc.boolean()).map(([data, indent, isAscii]) => {
    const text = JSON.stringify(data, undefined, indent)
    if (!isAscii) return text
    return text.replace(/[^ -~\r\n\t]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  })
}

/** Whether the one can be seen on the way to the other. */
function isBeginning(value: unknown, final: unknown): boolean {
  if (value === undefined) return true
  if (typeof value === "string") return typeof final === "string" && final.startsWith(value)
  if (typeof value !== "object" || value === null) return Object.is(value, final)
  if (typeof final !== "object" || final === null || Array.isArray(value) !== Array.isArray(final))
    return false
  return Object.keys(value).every(
    (key) =>
      Object.hasOwn(final, key) &&
      isBeginning((value as Record<string, unknown>)[key], (final as Record<string, unknown>)[key]),
  )
}

/** What the containers hold that may still be open: those that are last in their own. */
function openEntries(value: unknown): number {
  let entries = 0
  let container = value
  while (typeof container === "object" && container !== null) {
    const items: unknown[] = Object.values(container)
    entries += items.length
    container = items.at(-1)
  }
  return entries
}
