import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { EventLog } from "../src/event-log.ts"

const idsIn = (text: string): number[] => [...text.matchAll(/^id: (\d+)$/gm)].map(([, id]) => Number(id))

describe("the log of a stream", () => {
  test("gives every event once, in order, with its number and its text", () => {
    const log = new EventLog(0)
    log.append("one")
    log.append("two")

    expect(log.read()).toBe("id: 1\ndata: one\n\nid: 2\ndata: two\n\n")
    expect(log.read()).toBeUndefined()
    log.append("three")
    expect(log.read()).toBe("id: 3\ndata: three\n\n")
    expect(log.last).toBe(3)
  })

  test("gives no more at once than a connection takes", () => {
    const log = new EventLog(0)
    for (let event = 0; event < 100; event++) log.append("x".repeat(1000))

    const pieces: string[] = []
    for (let piece = log.read(); piece !== undefined; piece = log.read()) pieces.push(piece)

    expect(pieces.length).toBeGreaterThan(5)
    for (const piece of pieces) expect(piece.length).toBeLessThan(18_000)
    expect(idsIn(pieces.join(""))).toEqual(Array.from({ length: 100 }, (_, at) => at + 1))
  })

  test("keeps nothing that was read, when it is to keep nothing", () => {
    const log = new EventLog(0)
    for (let event = 0; event < 10; event++) {
      log.append("x")
      log.read()
    }

    expect(log.seek(10)).toBe(true)
    expect(log.seek(9)).toBe(false)
  })

  test("can be read again from any event that it keeps, whatever came in between", () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.nat(60).map((size) => ({ do: "append" as const, size })) },
      { weight: 3, arbitrary: fc.constant({ do: "read" as const }) },
      { weight: 1, arbitrary: fc.constant({ do: "skip" as const }) },
      { weight: 1, arbitrary: fc.nat(80).map((after) => ({ do: "seek" as const, after })) },
    )
    fc.assert(
      fc.property(fc.nat(300), fc.array(step, { maxLength: 80 }), (keep, steps) => {
        const log = new EventLog(keep)
        const sizes: number[] = []
        let position = 0
        /** What was read and has to be kept, and where the log may have forgotten what is before. */
        let kept = 0
        for (const step of steps) {
          if (step.do === "append") {
            sizes.push(step.size)
            log.append(String(sizes.length).padEnd(step.size, "."))
          } else if (step.do === "read") {
            const text = log.read() ?? ""
            expect(idsIn(text)).toEqual(
              Array.from({ length: sizes.length - position }, (_, at) => position + at + 1),
            )
            position = sizes.length
          } else if (step.do === "skip") {
            log.skip()
            position = sizes.length
          } else if (log.seek(step.after)) {
            expect(step.after).toBeLessThanOrEqual(sizes.length)
            position = step.after
          } else {
            const missed = sizes
              .slice(step.after, Math.max(position, kept))
              .reduce((sum, size) => sum + size, 0)
            expect(step.after > sizes.length || missed >= keep).toBe(true)
          }
          kept = Math.max(kept, position)
          expect(log.last).toBe(sizes.length)
        }
      }),
    )
  })

  test("counts what waits to be read", () => {
    const log = new EventLog(100)
    log.append("12345")
    log.append("123")
    expect(log.unreadChars).toBe(8)
    log.read()
    expect(log.unreadChars).toBe(0)
    log.seek(1)
    expect(log.unreadChars).toBe(3)
  })

  test("does not grow with what it has forgotten", () => {
    const log = new EventLog(10_000)
    for (let event = 0; event < 200_000; event++) {
      log.append("x".repeat(100))
      log.read()
    }

    expect(log.seek(200_000 - 100)).toBe(true)
    expect(log.seek(200_000 - 200)).toBe(false)
  })
})
