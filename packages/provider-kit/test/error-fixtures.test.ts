/**
 * Every recorded error body is classified as the table of the wire notes says.
 *
 * The bodies are not part of the project; without them these tests say so and skip.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join, resolve } from "node:path"
import type { StreamFailureCode } from "@heddle/types"
import { describe, expect, test } from "vitest"
import { classifyFailure } from "../src/index.ts"

const fixtures = resolve(
  process.env.HEDDLE_FIXTURES ?? join(import.meta.dirname, "../../../../shared/fixtures"),
)
const present = existsSync(fixtures)
if (!present) console.warn(`No recorded bodies in ${fixtures}: the tests of error bodies are skipped.`)

/** By vendor and status; `says` tells the rows of one vendor and status apart. */
const rows: readonly {
  folder: string
  status: number
  says: string
  code: StreamFailureCode
  retryable?: boolean
}[] = [
  { folder: "anthropic-messages", status: 400, says: "prompt is too long", code: "context_overflow" },
  { folder: "anthropic-messages", status: 401, says: "invalid x-api-key", code: "auth" },
  { folder: "anthropic-messages", status: 404, says: "model:", code: "invalid_request" },
  { folder: "azure-chat", status: 401, says: "Access denied", code: "auth" },
  {
    folder: "azure-chat",
    status: 429,
    says: "have exceeded rate limit",
    code: "rate_limit",
    retryable: true,
  },
  { folder: "bedrock-converse", status: 400, says: "model identifier is invalid", code: "invalid_request" },
  { folder: "bedrock-converse", status: 403, says: "security token", code: "auth" },
  { folder: "bedrock-converse", status: 404, says: "end of its life", code: "invalid_request" },
  { folder: "chatgpt-responses", status: 401, says: "authentication token", code: "auth" },
  { folder: "deepseek-chat", status: 400, says: "Thinking mode", code: "invalid_request" },
  { folder: "deepseek-chat", status: 400, says: "maximum context length", code: "context_overflow" },
  { folder: "deepseek-chat", status: 401, says: "Authentication Fails", code: "auth" },
  { folder: "deepseek-responses", status: 400, says: "No tool output found", code: "invalid_request" },
  { folder: "google-generatecontent", status: 400, says: "API key not valid", code: "auth" },
  { folder: "google-generatecontent", status: 400, says: "invalid argument", code: "invalid_request" },
  { folder: "google-generatecontent", status: 404, says: "is not found", code: "invalid_request" },
  {
    folder: "groq-chat",
    status: 400,
    says: "Tool call validation failed",
    code: "protocol",
    retryable: true,
  },
  { folder: "groq-chat", status: 401, says: "Invalid API Key", code: "auth" },
  { folder: "groq-chat", status: 404, says: "does not exist", code: "invalid_request" },
  { folder: "llamacpp-chat", status: 400, says: "Failed to load image", code: "invalid_request" },
  { folder: "llamacpp-chat", status: 401, says: "Invalid API Key", code: "auth" },
  { folder: "llamacpp-chat", status: 500, says: "requires --jinja", code: "invalid_request" },
  { folder: "mistral-chat", status: 400, says: "Logprobs", code: "invalid_request" },
  { folder: "mistral-chat", status: 400, says: "Invalid model", code: "invalid_request" },
  { folder: "mistral-chat", status: 401, says: "Invalid API Key", code: "auth" },
  { folder: "ollama-chat", status: 400, says: "prompt too long", code: "context_overflow" },
  { folder: "ollama-chat", status: 401, says: "Unauthorized", code: "auth" },
  { folder: "openai-chat", status: 400, says: "Content blocks are expected", code: "invalid_request" },
  { folder: "openai-chat", status: 401, says: "Incorrect API key", code: "auth" },
  { folder: "openai-chat", status: 404, says: "does not exist", code: "invalid_request" },
  { folder: "openai-responses", status: 400, says: "not supported", code: "invalid_request" },
  { folder: "openai-responses", status: 401, says: "Incorrect API key", code: "auth" },
  { folder: "openrouter-chat", status: 400, says: "maximum context length", code: "context_overflow" },
  { folder: "openrouter-chat", status: 401, says: "Missing Authentication header", code: "auth" },
  { folder: "perplexity-chat", status: 400, says: "total length of all messages", code: "context_overflow" },
  { folder: "vertex-generatecontent", status: 400, says: "API key not valid", code: "auth" },
  { folder: "vertex-generatecontent", status: 400, says: "invalid argument", code: "invalid_request" },
  { folder: "vertex-generatecontent", status: 400, says: "input token count", code: "context_overflow" },
  { folder: "vertex-generatecontent", status: 404, says: "not found", code: "invalid_request" },
  { folder: "xai-responses", status: 400, says: "Incorrect API key", code: "auth" },
]

function errorFiles(): { folder: string; file: string; status: number }[] {
  if (!present) return []
  return readdirSync(fixtures, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name: folder }) =>
      readdirSync(join(fixtures, folder))
        .filter((file) => /^error\d+--.*\.json$/.test(file) && !file.endsWith(".request.json"))
        .map((file) => ({ folder, file, status: Number(/^error(\d+)/.exec(file)?.[1]) })),
    )
}

describe.skipIf(!present)("the recorded error bodies", () => {
  const files = errorFiles()

  test("are all there", () => {
    expect(files.length).toBeGreaterThanOrEqual(45)
  })

  test.each(files)("$folder $file", ({ folder, file, status }) => {
    const text = readFileSync(join(fixtures, folder, file), "utf8")
    const parsed = classifyFailure({ status, body: JSON.parse(text) })
    const row = rows.find(
      (each) => each.folder === folder && each.status === status && parsed.message.includes(each.says),
    )

    expect(row, `no row says: ${parsed.message}`).toBeDefined()
    expect(parsed.failure).toEqual({ code: row?.code, retryable: row?.retryable ?? false, status })
    // Raw text, and what an SDK leaves of the body, come to the same.
    expect(classifyFailure({ status, body: text })).toEqual(parsed)
    expect(classifyFailure({ status, body: innerError(JSON.parse(text)) }).failure).toEqual(parsed.failure)
  })

  test.each(rows)("row $folder $status “$says” has a body", ({ folder, status }) => {
    expect(files.some((each) => each.folder === folder && each.status === status)).toBe(true)
  })
})

/** The OpenAI SDK keeps the inside of `error` only. */
function innerError(body: { error?: unknown }): unknown {
  return body.error ?? body
}
