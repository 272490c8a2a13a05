import { describe, expect, test, vi } from "vitest"
import { obedientFetch } from "../src/obedient-fetch.ts"

describe("obedientFetch", () => {
  test("passes request and response through and leaves no listener", async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, "addEventListener")
    const remove = vi.spyOn(signal, "removeEventListener")
    const response = new Response("r")
    const fetch = vi.fn(async () => response)
    const init = { method: "POST" }

    await expect(obedientFetch(fetch, signal)("http://x.test", init)).resolves.toBe(response)

    expect(fetch).toHaveBeenCalledWith("http://x.test", init)
    expect(remove).toHaveBeenCalledTimes(add.mock.calls.length)
  })

  test("passes on what fetch rejects with and what it throws", async () => {
    const { signal } = new AbortController()
    const throws = (): never => {
      throw new Error("thrown")
    }

    const onSettled = vi.fn()

    await expect(obedientFetch(async () => throws(), signal, onSettled)("http://x.test")).rejects.toThrow(
      "thrown",
    )
    expect(onSettled).toHaveBeenCalledWith(new Error("thrown"))
    await expect(obedientFetch(throws, signal)("http://x.test")).rejects.toThrow("thrown")
  })

  test("rejects when the signal fires although the fetch behind it is deaf, and closes what comes late", async () => {
    const controller = new AbortController()
    const cancelled = vi.fn()
    const response = new Response(new ReadableStream({ cancel: cancelled }))
    let respond = (_: Response): void => {}
    const late = new Promise<Response>((resolve) => {
      respond = resolve
    })
    const fetching = obedientFetch(() => late, controller.signal)("http://x.test")

    controller.abort(new Error("gone"))
    await expect(fetching).rejects.toThrow("gone")
    respond(response)

    await vi.waitFor(() => expect(cancelled).toHaveBeenCalledOnce())
  })

  test("does not call fetch when the signal has fired", async () => {
    const fetch = vi.fn()

    await expect(obedientFetch(fetch, AbortSignal.abort(new Error("gone")))("http://x.test")).rejects.toThrow(
      "gone",
    )
    expect(fetch).not.toHaveBeenCalled()
  })

  test("takes out headers that must go, whoever added them", async () => {
    const fetch = vi.fn(async (_input: unknown, _init?: RequestInit) => new Response())
    const init = { headers: { Authorization: "Bearer x", "X-A": "1" } }

    await obedientFetch(fetch, new AbortController().signal, undefined, ["authorization"])(
      "http://x.test",
      init,
    )

    const headers = new Headers(fetch.mock.calls[0]?.[1]?.headers)
    expect([...headers.keys()]).toEqual(["x-a"])
    expect(init.headers.Authorization).toBe("Bearer x")
  })
})
