import { createServer } from "node:http"
import { connect } from "node:net"
import { describe, expect, test } from "vitest"

// The guard is in place already: vitest.config.ts loads it before every test file.
describe("a test", () => {
  test("cannot reach another machine", async () => {
    await expect(fetch("http://192.0.2.1/")).rejects.toMatchObject({
      cause: { message: "A connection to 192.0.2.1 was refused: tests and examples stay on this machine." },
    })
    expect(() => connect(443, "example.test")).toThrow("A connection to example.test was refused")
    expect(() => connect({ port: 443, host: "example.test" })).toThrow("example.test")
  })

  test("reaches a server on this machine", async () => {
    const server = createServer((_, response) => response.end("here"))
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    const address = server.address()
    if (typeof address !== "object" || address === null) throw new Error("The server has no port.")

    const answers = await Promise.all(
      ["127.0.0.1", "localhost"].map(async (host) => (await fetch(`http://${host}:${address.port}/`)).text()),
    )

    expect(answers).toEqual(["here", "here"])
    server.close()
  })
})
