/**
 * The demo as its user meets it: a process with arguments, output and an exit code.
 */
import { spawn } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url))
let folder = ""

// Each test starts a Node.js of its own, which a busy machine may take its time for.
vi.setConfig({ testTimeout: 60_000 })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-demo-"))
  await mkdir(join(folder, "recipes"))
  await writeFile(join(folder, "README.md"), "# Grandmother's kitchen\n\nSoups, mostly.\n")
  await writeFile(join(folder, "recipes", "borscht.txt"), "Beetroot\nCabbage\nSour cream on top\n")
  await writeFile(join(folder, "recipes", "goulash.txt"), "Paprika, and patience.\n".repeat(20))
  await writeFile(join(folder, "photo.bin"), Buffer.from([1, 0, 2]))
  await symlink("/etc", join(folder, "outside"))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

interface Outcome {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** @param onOutput Sees all output so far, and may signal the process. */
function demo(
  args: readonly string[],
  env: Record<string, string | undefined> = {},
  onOutput?: (out: string, kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Outcome> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      env: { PATH: process.env.PATH, INIT_CWD: folder, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    })
    let [out, err] = ["", ""]
    child.stdout.on("data", (chunk) => {
      out += String(chunk)
      onOutput?.(out, (signal) => child.kill(signal))
    })
    child.stderr.on("data", (chunk) => (err += String(chunk)))
    child.on("close", (code) => resolve({ code, out, err }))
  })
}

describe("the demo", () => {
  test("says what is in a folder it has never seen, and what its README says", async () => {
    const { code, out, err } = await demo([])

    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("There are 4 files and 1 folders here.")
    expect(out).toContain("# Grandmother's kitchen")
    expect(out).toMatch(
      /└─ completed · \d turns · \d tool calls · \d+ tokens in, \d+ out · \$0\.\d+ · [\d.]+ s/,
    )
    // No colours where there is no terminal.
    expect(out).not.toContain("\u001b")
  })

  test.each([
    { question: "Which file mentions sour cream?", fact: "recipes/borscht.txt:3: Sour cream on top" },
    { question: 'Where does "beetroot" occur?', fact: "recipes/borscht.txt:1: Beetroot" },
    { question: "What does goulash.txt say?", fact: "Paprika, and patience." },
    { question: "How many files are there?", fact: "There are 4 files" },
    { question: "Which file is the largest?", fact: "The largest file is recipes/goulash.txt (460 bytes)." },
    { question: "What is (17 + 4) * 2?", fact: "(17 + 4) * 2 = 42." },
    { question: "What time is it in Tokyo?", fact: "(Asia/Tokyo)" },
    { question: "Does anything mention chocolate?", fact: "0 matches in 0 files" },
    { question: "What does photo.bin say?", fact: "photo.bin is not a text file" },
  ])("answers $question with a fact", async ({ question, fact }) => {
    const { code, out } = await demo([question, "--dir", "."])

    expect(code).toBe(0)
    expect(out).toContain(fact)
  })

  test("shows its tools at work: arguments, results and times", async () => {
    const { out } = await demo(["What does goulash.txt say?"])

    expect(out).toContain('├─ read_file {"path":"recipes/goulash.txt"}')
    expect(out).toMatch(/✓ read_file {"path":"recipes\/goulash.txt"} · \d+ ms/)
    expect(out).toContain("├─ thinking: ")
  })

  test("does not leave the folder, not even through a link", async () => {
    const { out } = await demo(["What does outside/passwd say?"])

    expect(out).not.toContain("root:")
  })

  test.each([
    { args: ["--nonsense"], says: "Unknown option '--nonsense'" },
    { args: ["--dir", "/no/such/folder"], says: "There is no folder /no/such/folder" },
    { args: ["--dir"], says: "Option '--dir <value>' argument missing" },
    { args: ["--model", "gpt"], says: "--model needs --base-url URL, or a key for OpenAI in OPENAI_API_KEY" },
    { args: ["--base-url", "http://localhost:1/v1"], says: "--base-url needs --model NAME" },
    { args: ["--base-url", "nonsense", "--model", "m"], says: "--base-url must be an http or https URL" },
    { args: ["--speed", "fast"], says: '--speed must be a number above 0, not "fast"' },
  ])("refuses $args in one line", async ({ args, says }) => {
    const { code, out, err } = await demo(args)

    expect(code).toBe(2)
    expect(out).toBe("")
    expect(err).toContain(says)
    expect(err.trimEnd().split("\n")).toHaveLength(1)
  })

  test("explains itself", async () => {
    const { code, out } = await demo(["--help"])

    expect(code).toBe(0)
    expect(out).toContain("Usage: npm start --")
  })

  test("says in one line that a server cannot be reached", async () => {
    const closed = createServer()
    await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve))
    const { port } = closed.address() as AddressInfo
    await new Promise((resolve) => closed.close(resolve))

    const { code, err } = await demo(["--base-url", `http://127.0.0.1:${port}/v1`, "--model", "m", "Hello"])

    expect(code).toBe(1)
    expect(err).toMatch(/^The run failed: .+\n$/)
    expect(err).not.toMatch(/\bat .+:\d+:\d+/)
  })

  test("runs the same agent on an OpenAI-compatible server", async () => {
    const bodies: { model: string; tools: unknown[]; messages: { role: string; content: unknown }[] }[] = []
    const server = createServer(async (request, response) => {
      let body = ""
      for await (const chunk of request) body += String(chunk)
      bodies.push(JSON.parse(body))
      const delta =
        bodies.length === 1
          ? {
              tool_calls: [
                {
                  index: 0,
                  id: "c1",
                  type: "function",
                  function: { name: "calculate", arguments: '{"expression":"6*7"}' },
                },
              ],
            }
          : { content: "It is forty-two." }
      const finish = bodies.length === 1 ? "tool_calls" : "stop"
      response.setHeader("content-type", "text/event-stream")
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }] })}\n\n`)
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: finish }] })}\n\n`,
      )
      response.end("data: [DONE]\n\n")
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo

    const { code, out, err } = await demo([
      "--base-url",
      `http://127.0.0.1:${port}/v1`,
      "--model",
      "local",
      "6*7?",
    ])
    server.closeAllConnections()
    server.close()

    expect({ code, err }).toEqual({ code: 0, err: "" })
    expect(out).toContain("6*7 = 42")
    expect(out).toContain("It is forty-two.")
    expect(bodies.map(({ model }) => model)).toEqual(["local", "local"])
    expect(bodies[0]?.tools).toHaveLength(5)
    expect(bodies[1]?.messages.at(-1)).toMatchObject({ role: "tool", content: "6*7 = 42" })
  })

  test("stops on Ctrl-C and says what was kept", async () => {
    let sent = false
    const { code, out } = await demo(["--speed", "20"], {}, (output, kill) => {
      if (sent || !output.includes("├─ thinking")) return
      sent = true
      kill("SIGINT")
    })

    expect(code).toBe(130)
    expect(out).toContain("└─ aborted")
    expect(out).toMatch(/Stopped\. Kept: 2 messages, 0 of them tool results\./)
  })
})
