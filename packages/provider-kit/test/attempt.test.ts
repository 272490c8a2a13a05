import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { startAttempt } from "../src/attempt.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<never>(() => {})

describe("startAttempt", () => {
  test("passes on a response that begins in time, and leaves no timer", async () => {
    const attempt = startAttempt(new AbortController().signal, 1000)

    await expect(attempt.begin(Promise.resolve("r"), vi.fn())).resolves.toBe("r")

    expect(vi.getTimerCount()).toBe(0)
    expect(attempt.signal.aborted).toBe(false)
  })

  test("passes on a refusal, and leaves no timer", async () => {
    const attempt = startAttempt(new AbortController().signal, 1000)

    await expect(attempt.begin(Promise.reject(new Error("no")), vi.fn())).rejects.toThrow("no")

    expect(vi.getTimerCount()).toBe(0)
  })

  test("gives up when the time is up, and tells the request", async () => {
    const attempt = startAttempt(new AbortController().signal, 1000)
    const begun = attempt.begin(never, vi.fn())
    const settled = expect(begun).rejects.toMatchObject({
      message: "The response did not begin within 1000 ms.",
      failure: { code: "timeout", retryable: true },
    })

    await vi.advanceTimersByTimeAsync(1000)

    await settled
    expect(attempt.signal.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test.each([undefined, 0, -1, Number.NaN, Infinity])("waits for ever with a limit of %s", (timeoutMs) => {
    void startAttempt(new AbortController().signal, timeoutMs).begin(never, vi.fn())

    expect(vi.getTimerCount()).toBe(0)
  })

  test("does not wait for anyone when the parent fires", async () => {
    const parent = new AbortController()
    const attempt = startAttempt(parent.signal, 1000)
    const begun = attempt.begin(never, vi.fn())

    parent.abort(new Error("gone"))

    await expect(begun).rejects.toThrow("gone")
    expect(attempt.signal.reason).toBe(parent.signal.reason)
    expect(vi.getTimerCount()).toBe(0)
  })

  test("rejects at once when the parent has fired before", async () => {
    const attempt = startAttempt(AbortSignal.abort(new Error("gone")), undefined)

    await expect(attempt.begin(never, vi.fn())).rejects.toThrow("gone")
  })

  test("has a response discarded that comes too late", async () => {
    const parent = new AbortController()
    const discard = vi.fn()
    let respond = (_: string): void => {}
    const sent = new Promise<string>((resolve) => {
      respond = resolve
    })
    const begun = startAttempt(parent.signal, undefined).begin(sent, discard)
    parent.abort(new Error("gone"))
    await expect(begun).rejects.toThrow("gone")

    respond("late")
    await sent

    expect(discard).toHaveBeenCalledWith("late")
  })

  test("takes no notice of a refusal that comes too late", async () => {
    const parent = new AbortController()
    let refuse = (_: Error): void => {}
    const sent = new Promise<string>((_, reject) => {
      refuse = reject
    })
    const begun = startAttempt(parent.signal, undefined).begin(sent, vi.fn())
    parent.abort(new Error("gone"))
    await expect(begun).rejects.toThrow("gone")

    refuse(new Error("late"))
    await expect(sent).rejects.toThrow("late")
  })

  test("lets go of the parent when it is released", () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, "addEventListener")
    const remove = vi.spyOn(signal, "removeEventListener")

    startAttempt(signal, undefined).release()

    expect(remove).toHaveBeenCalledWith("abort", add.mock.calls[0]?.[1])
  })

  test("stops the request when it is cancelled", () => {
    const attempt = startAttempt(new AbortController().signal, undefined)

    attempt.cancel()

    expect(attempt.signal.aborted).toBe(true)
  })
})
