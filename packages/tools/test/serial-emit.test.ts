import { describe, expect, test } from "vitest"
import { serialEmit } from "../src/serial-emit.ts"

function never(error: unknown): never {
  throw error
}

describe("serialEmit", () => {
  test("delivers at once and returns nothing where emit returns no promise", () => {
    const seen: number[] = []
    const emit = serialEmit<number>((event) => void seen.push(event), never)

    expect(emit(1)).toBeUndefined()
    expect(emit(2)).toBeUndefined()

    expect(seen).toEqual([1, 2])
  })

  test("never calls emit while an earlier call is pending, and keeps the order", async () => {
    const log: string[] = []
    const emit = serialEmit<number>(async (event) => {
      log.push(`begin ${event}`)
      await Promise.resolve()
      log.push(`end ${event}`)
    }, never)

    await Promise.all([emit(1), emit(2), emit(3)])

    expect(log).toEqual(["begin 1", "end 1", "begin 2", "end 2", "begin 3", "end 3"])
    expect(emit(4)).toBeInstanceOf(Promise)
  })

  test("goes back to delivering at once when the queue has emptied", async () => {
    const seen: number[] = []
    const emit = serialEmit<number>((event) => {
      seen.push(event)
      return event === 1 ? Promise.resolve() : undefined
    }, never)

    await emit(1)

    expect(emit(2)).toBeUndefined()
    expect(seen).toEqual([1, 2])
  })

  test("puts an event that emit itself emits behind the call it came from", async () => {
    const log: string[] = []
    let inner: Promise<void> | undefined
    const emit = serialEmit<string>(async (event) => {
      log.push(`begin ${event}`)
      if (event === "outer") inner = emit("inner") ?? undefined
      await Promise.resolve()
      log.push(`end ${event}`)
    }, never)

    await emit("outer")
    await inner

    expect(log).toEqual(["begin outer", "end outer", "begin inner", "end inner"])
  })

  test("does the same for an emit without promises", async () => {
    const log: string[] = []
    const emit = serialEmit<string>((event) => {
      log.push(`begin ${event}`)
      if (event === "outer") void emit("inner")
      log.push(`end ${event}`)
    }, never)

    emit("outer")
    await Promise.resolve()
    await Promise.resolve()

    expect(log).toEqual(["begin outer", "end outer", "begin inner", "end inner"])
    await Promise.resolve()
    expect(emit("later")).toBeUndefined()
  })

  test("reports each failure of emit and goes on with the next event", async () => {
    const errors: unknown[] = []
    const seen: number[] = []
    const emit = serialEmit<number>(
      (event) => {
        if (event === 1) throw new Error("thrown")
        if (event === 2) return Promise.reject(new Error("rejected"))
        seen.push(event)
        return undefined
      },
      (error) => errors.push((error as Error).message),
    )

    emit(1)
    await Promise.all([emit(2), emit(3)])

    expect(errors).toEqual(["thrown", "rejected"])
    expect(seen).toEqual([3])
  })
})
