import { getEventListeners } from "node:events"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { AbortGrace, LEFT_BEHIND } from "../src/abort-grace.ts"

const never = new Promise<never>(() => {})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe("AbortGrace", () => {
  test("settles as the work does while the signal is silent", async () => {
    const grace = new AbortGrace(new AbortController().signal, 500)

    await expect(grace.wait(Promise.resolve(1))).resolves.toBe(1)
    await expect(grace.wait(Promise.reject(new Error("no")))).rejects.toThrow("no")
  })

  test("gives work that finishes within the grace its own result", async () => {
    const controller = new AbortController()
    const grace = new AbortGrace(controller.signal, 500)
    const work = grace.wait(new Promise((resolve) => setTimeout(resolve, 400, "in time")))

    controller.abort()
    await vi.advanceTimersByTimeAsync(400)

    await expect(work).resolves.toBe("in time")
  })

  test("leaves deaf work behind when the grace is over, all of it at once", async () => {
    const controller = new AbortController()
    const grace = new AbortGrace(controller.signal, 500)
    const works = [grace.wait(never), grace.wait(never)]

    controller.abort()
    await vi.advanceTimersByTimeAsync(499)
    expect(grace.expired).toBe(false)
    await vi.advanceTimersByTimeAsync(1)

    await expect(Promise.all(works)).resolves.toEqual([LEFT_BEHIND, LEFT_BEHIND])
    expect(grace.expired).toBe(true)
  })

  test("counts the grace from the signal, not from the work", async () => {
    const controller = new AbortController()
    const grace = new AbortGrace(controller.signal, 500)
    controller.abort()
    await vi.advanceTimersByTimeAsync(300)

    const late = grace.wait(never)
    await vi.advanceTimersByTimeAsync(200)

    await expect(late).resolves.toBe(LEFT_BEHIND)
  })

  test("takes what has already settled, and nothing else, after the grace", async () => {
    const grace = new AbortGrace(AbortSignal.abort(), 0)
    await vi.advanceTimersByTimeAsync(0)

    await expect(grace.wait(Promise.resolve("settled"))).resolves.toBe("settled")
    await expect(grace.wait(never)).resolves.toBe(LEFT_BEHIND)
  })

  test("swallows the late rejection of work that was left behind", async () => {
    const grace = new AbortGrace(AbortSignal.abort(), 10)
    let fail: (error: Error) => void = () => {}
    const work = grace.wait(new Promise((_, reject) => (fail = reject)))
    await vi.advanceTimersByTimeAsync(10)

    fail(new Error("late"))

    await expect(work).resolves.toBe(LEFT_BEHIND)
  })

  test.each([2 ** 31, Number.POSITIVE_INFINITY])(
    "waits as long as a timer can for a grace of %d ms, which none can hold",
    async (graceMs) => {
      const grace = new AbortGrace(AbortSignal.abort(), graceMs)
      const work = grace.wait(new Promise((resolve) => setTimeout(resolve, 60_000, "in time")))

      await vi.advanceTimersByTimeAsync(60_000)

      await expect(work).resolves.toBe("in time")
      grace.dispose()
    },
  )

  test("leaves no listener and no timer after dispose", () => {
    const controller = new AbortController()
    const grace = new AbortGrace(controller.signal, 500)
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(1)
    controller.abort()
    expect(vi.getTimerCount()).toBe(1)

    grace.dispose()

    expect(vi.getTimerCount()).toBe(0)
    expect(getEventListeners(controller.signal, "abort")).toHaveLength(0)
  })
})
