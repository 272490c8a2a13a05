import { describe, expect, test } from "vitest"
import { classifyError, classifyFailure, StreamFailureError, toStreamFailureError } from "../src/index.ts"

/** Written from the vendors' error pages; the recorded bodies are in `error-fixtures.test.ts`. */
const rows = [
  // Anthropic
  {
    status: 400,
    type: "invalid_request_error",
    says: "prompt is too long: 3 tokens > 2 maximum",
    code: "context_overflow",
  },
  {
    status: 400,
    type: "invalid_request_error",
    says: "input length and max_tokens exceed context limit: 1 + 2 > 2",
    code: "context_overflow",
  },
  {
    status: 400,
    type: "invalid_request_error",
    says: "Your credit balance is too low to access the API.",
    code: "quota",
  },
  { status: 401, type: "authentication_error", says: "invalid x-api-key", code: "auth" },
  { status: 403, type: "permission_error", says: "Your key may not use this resource.", code: "auth" },
  { status: 404, type: "not_found_error", says: "model: x", code: "invalid_request" },
  {
    status: 413,
    type: "request_too_large",
    says: "Request exceeds the maximum allowed bytes.",
    code: "context_overflow",
  },
  {
    status: 429,
    type: "rate_limit_error",
    says: "This request would exceed your rate limit.",
    code: "rate_limit",
  },
  { status: 500, type: "api_error", says: "Internal server error", code: "server" },
  { status: 504, type: "timeout_error", says: "Request timed out", code: "timeout" },
  { status: 529, type: "overloaded_error", says: "Overloaded", code: "overloaded" },
  { status: undefined, type: "authentication_error", says: "invalid x-api-key", code: "auth" },
  { status: undefined, type: "permission_error", says: "No.", code: "auth" },
  { status: undefined, type: "request_too_large", says: "Too large.", code: "context_overflow" },
  { status: undefined, type: "rate_limit_error", says: "Slow down.", code: "rate_limit" },
  { status: undefined, type: "api_error", says: "Internal server error", code: "server" },
  { status: undefined, type: "timeout_error", says: "Request timed out", code: "timeout" },
  { status: undefined, type: "overloaded_error", says: "Overloaded", code: "overloaded" },
  { status: 200, type: "overloaded_error", says: "Overloaded", code: "overloaded" },
  // OpenAI
  {
    status: undefined,
    type: "service_unavailable_error",
    word: "server_is_overloaded",
    says: "Our servers are currently overloaded.",
    code: "overloaded",
  },
  { status: undefined, type: "", word: "slow_down", says: "Slow down.", code: "overloaded" },
  {
    status: 400,
    type: "invalid_request_error",
    word: "context_length_exceeded",
    says: "Too long.",
    code: "context_overflow",
  },
  {
    status: 429,
    type: "insufficient_quota",
    word: "insufficient_quota",
    says: "You exceeded your current quota.",
    code: "quota",
  },
  {
    status: 429,
    type: "requests",
    word: "rate_limit_exceeded",
    says: "Rate limit reached for gpt.",
    code: "rate_limit",
  },
  {
    status: undefined,
    type: "insufficient_quota",
    word: "insufficient_quota",
    says: "No credit.",
    code: "quota",
  },
  {
    status: undefined,
    type: "server_error",
    word: "server_error",
    says: "An error occurred.",
    code: "server",
  },
  { status: 503, type: "server_error", says: "The engine is currently overloaded.", code: "overloaded" },
  // Azure
  {
    status: 400,
    type: undefined,
    word: "content_filter",
    says: "The response was filtered.",
    code: "content_filter",
  },
  { status: 401, type: undefined, word: "401", says: "Access denied.", code: "auth" },
  {
    status: 429,
    type: undefined,
    word: "RateLimitReached",
    says: "You have exceeded the rate limit.",
    code: "rate_limit",
  },
  // DeepSeek: the status says more than the code beside it
  {
    status: 401,
    type: "authentication_error",
    word: "invalid_request_error",
    says: "Authentication Fails",
    code: "auth",
  },
  {
    status: 402,
    type: "unknown_error",
    word: "invalid_request_error",
    says: "Insufficient Balance",
    code: "quota",
  },
  // Gemini: a rate that is called a quota
  {
    status: 429,
    type: undefined,
    word: undefined,
    says: "You exceeded your current quota, check your plan.",
    code: "rate_limit",
  },
  // Groq
  {
    status: 400,
    type: "invalid_request_error",
    word: "tool_use_failed",
    says: "Failed to call a function.",
    code: "protocol",
  },
  // llama.cpp
  { status: 500, type: "server_error", says: "tools param requires --jinja flag", code: "invalid_request" },
  { status: 500, type: "server_error", says: "something else", code: "server" },
  // OpenRouter
  { status: 402, type: undefined, says: "Insufficient credits", code: "quota" },
  // Others
  {
    status: 400,
    type: undefined,
    says: "Please reduce your request: it exceeds the context window.",
    code: "context_overflow",
  },
  {
    status: 429,
    type: undefined,
    says: "Too many tokens for this context window per minute.",
    code: "rate_limit",
  },
  { status: 400, type: "a_type_from_the_future", says: "Something new.", code: "invalid_request" },
  { status: undefined, type: "a_type_from_the_future", says: "Something new.", code: "unknown" },
] as const

const RETRYABLE = ["rate_limit", "overloaded", "timeout", "server", "protocol", "network"]

describe("classifyFailure", () => {
  test.each(rows)("$status $type $word “$says” is $code", (row) => {
    const { status, type, says, code } = row
    const body = { error: { type, code: "word" in row ? row.word : null, message: says } }

    const classified = classifyFailure({ status, body })

    expect(classified.message).toBe(says)
    expect(classified.failure).toEqual({
      code,
      retryable: RETRYABLE.includes(code),
      ...(status !== undefined && status >= 400 && { status }),
    })
  })

  test.each([
    { status: 400, code: "invalid_request" },
    { status: 401, code: "auth" },
    { status: 402, code: "quota" },
    { status: 403, code: "auth" },
    { status: 404, code: "invalid_request" },
    { status: 405, code: "invalid_request" },
    { status: 408, code: "timeout" },
    { status: 409, code: "server" },
    { status: 413, code: "context_overflow" },
    { status: 415, code: "invalid_request" },
    { status: 418, code: "invalid_request" },
    { status: 422, code: "invalid_request" },
    { status: 429, code: "rate_limit" },
    { status: 500, code: "server" },
    { status: 502, code: "server" },
    { status: 503, code: "overloaded" },
    { status: 504, code: "timeout" },
    { status: 520, code: "server" },
    { status: 529, code: "overloaded" },
  ])("a bare $status is $code", ({ status, code }) => {
    expect(classifyFailure({ status }).failure).toMatchObject({ code, status })
  })

  test.each([
    { name: "ThrottlingException", status: 400, code: "rate_limit" },
    { name: "ThrottlingException", status: undefined, code: "rate_limit" },
    { name: "ServiceUnavailableException", status: undefined, code: "overloaded" },
    { name: "InternalServerException", status: undefined, code: "server" },
    { name: "ModelStreamErrorException", status: 424, code: "server" },
    { name: "ModelTimeoutException", status: 408, code: "timeout" },
    { name: "ValidationException", status: 400, code: "invalid_request" },
    { name: "AccessDeniedException", status: 403, code: "auth" },
    { name: "ExpiredTokenException", status: 400, code: "auth" },
    { name: "ServiceQuotaExceededException", status: 400, code: "quota" },
    { name: "CredentialsProviderError", status: undefined, code: "auth" },
  ])("AWS's $name with status $status is $code", ({ name, status, code }) => {
    const error = Object.assign(new Error("The service says no."), {
      name,
      $metadata: { httpStatusCode: status },
    })

    expect(classifyError(error)).toMatchObject({ failure: { code }, message: "The service says no." })
  })

  test("Bedrock's overflow is a validation error by its text", () => {
    const error = Object.assign(new Error("Input is too long for requested model."), {
      name: "ValidationException",
      $metadata: { httpStatusCode: 400 },
    })

    expect(classifyError(error).failure).toEqual({
      code: "context_overflow",
      retryable: false,
      status: 400,
    })
  })

  test.each([
    { word: 429, code: "rate_limit" },
    { word: "502", code: "server" },
  ])("an error event with the number $word in its code is $code", ({ word, code }) => {
    const { failure } = classifyFailure({ status: 200, body: { error: { code: word, message: "upstream" } } })

    expect(failure).toMatchObject({ code, status: Number(word), retryable: true })
  })

  test("an error event takes its status from status_code", () => {
    const error = { message: "bad call", code: "tool_use_failed", status_code: 400, failed_generation: "<f>" }

    expect(classifyFailure({ body: error })).toEqual({
      failure: { code: "protocol", retryable: true, status: 400 },
      message: "bad call",
    })
  })

  test("a vendor's own rule comes before everything else", () => {
    const rules = [
      { status: 400, word: "Odd", text: "NO", code: "overloaded" },
      { text: "prompt is too long", code: "server", retryable: false },
    ] as const

    expect(
      classifyFailure({ status: 400, body: { error: { code: "odd", message: "no" } } }, rules).failure,
    ).toEqual({ code: "overloaded", retryable: true, status: 400 })
    expect(classifyFailure({ status: 400, body: { message: "prompt is too long" } }, rules).failure).toEqual({
      code: "server",
      retryable: false,
      status: 400,
    })
    expect(
      classifyFailure({ status: 401, body: { error: { code: "odd", message: "no" } } }, rules).failure.code,
    ).toBe("auth")
  })

  test("a server that forbids retries is obeyed", () => {
    const headers = new Headers({ "x-should-retry": "false" })

    expect(classifyFailure({ status: 500, headers }).failure.retryable).toBe(false)
  })

  test("the wait the server asks for is passed on", () => {
    const facts = { status: 429, headers: new Headers({ "retry-after": "7" }) }

    expect(classifyFailure(facts).failure).toEqual({
      code: "rate_limit",
      retryable: true,
      status: 429,
      retryAfterMs: 7000,
    })
  })
})

describe("classifyError", () => {
  const socket = (code: string, message: string) => Object.assign(new Error(message), { code })

  test.each([
    {
      error: new TypeError("fetch failed", {
        cause: socket("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:1"),
      }),
      code: "network",
    },
    {
      error: new TypeError("fetch failed", {
        cause: new AggregateError([socket("ECONNREFUSED", "connect ECONNREFUSED ::1:1")], ""),
      }),
      code: "network",
    },
    {
      error: new TypeError("fetch failed", { cause: socket("ENOTFOUND", "getaddrinfo ENOTFOUND nowhere") }),
      code: "network",
    },
    {
      error: new TypeError("terminated", { cause: socket("UND_ERR_SOCKET", "other side closed") }),
      code: "network",
    },
    { error: new TypeError("terminated"), code: "network" },
    { error: socket("ECONNRESET", "socket hang up"), code: "network" },
    { error: new Error("socket hang up"), code: "network" },
    { error: new TypeError("Failed to fetch"), code: "network" },
    { error: new TypeError("NetworkError when attempting to fetch resource."), code: "network" },
    { error: new TypeError("Load failed"), code: "network" },
    { error: new Error("Connection error."), code: "network" },
    { error: new DOMException("This operation was aborted", "AbortError"), code: "network" },
    {
      error: new TypeError("fetch failed", {
        cause: socket("UND_ERR_CONNECT_TIMEOUT", "Connect Timeout Error"),
      }),
      code: "timeout",
    },
    {
      error: new TypeError("terminated", { cause: socket("UND_ERR_BODY_TIMEOUT", "Body Timeout Error") }),
      code: "timeout",
    },
    { error: socket("ETIMEDOUT", "connect ETIMEDOUT 10.0.0.1:443"), code: "timeout" },
    { error: new DOMException("The operation timed out", "TimeoutError"), code: "timeout" },
    { error: new Error("Request timed out."), code: "timeout" },
  ])("$error is $code and may be tried again", ({ error, code }) => {
    expect(classifyError(error).failure).toEqual({ code, retryable: true })
  })

  test.each([
    { code: "UND_ERR_HEADERS_TIMEOUT", outer: "fetch failed", says: "did not begin to answer" },
    { code: "UND_ERR_BODY_TIMEOUT", outer: "terminated", says: "fell silent in the middle of its answer" },
  ])("$code says who gave up on whom, and what to do", ({ code, outer, says }) => {
    const error = new TypeError(outer, { cause: socket(code, "Headers Timeout Error") })

    expect(classifyError(error)).toEqual({
      failure: { code: "timeout", retryable: true },
      message:
        `The server ${says} for longer than fetch waits (in Node.js five minutes). ` +
        "If the model thinks that long, pass a fetch with longer timeouts.",
    })
  })

  test("a refused connection names host and port", () => {
    const cause = socket("ECONNREFUSED", "connect ECONNREFUSED 127.0.0.1:1")

    expect(classifyError(new TypeError("fetch failed", { cause })).message).toBe(
      "The connection failed: connect ECONNREFUSED 127.0.0.1:1",
    )
  })

  test("a bad certificate is a network failure that no retry mends", () => {
    const cause = socket("CERT_HAS_EXPIRED", "certificate has expired")

    expect(classifyError(new TypeError("fetch failed", { cause })).failure).toEqual({
      code: "network",
      retryable: false,
    })
  })

  test("a bug is unknown, with its message", () => {
    expect(classifyError(new TypeError("x is not a function"))).toEqual({
      failure: { code: "unknown", retryable: false },
      message: "x is not a function",
    })
  })

  test.each([{ thrown: "a text" }, { thrown: undefined }, { thrown: null }, { thrown: 7 }])(
    "anything may be thrown: $thrown",
    ({ thrown }) => {
      expect(classifyError(thrown)).toEqual({
        failure: { code: "unknown", retryable: false },
        message: String(thrown),
      })
    },
  )

  test("an error that is its own cause is read once", () => {
    const error: Error = new Error("loop")
    error.cause = error

    expect(classifyError(error).message).toBe("loop")
  })

  test("a StreamFailureError is taken at its word", () => {
    const failure = { code: "content_filter", retryable: false } as const

    expect(classifyError(new StreamFailureError(failure, "no"))).toEqual({ failure, message: "no" })
  })

  test.each([
    { held: "error.headers", fields: { status: 429, headers: { "Retry-After": "3" } } },
    {
      held: "error.response.headers",
      fields: { statusCode: 429, response: { headers: new Headers({ "retry-after": "3" }) } },
    },
    {
      held: "error.$response.headers",
      fields: { $metadata: { httpStatusCode: 429 }, $response: { headers: { "retry-after": "3" } } },
    },
  ])("headers are found in $held", ({ fields }) => {
    expect(classifyError(Object.assign(new Error("slow down"), fields))).toEqual({
      failure: { code: "rate_limit", retryable: true, status: 429, retryAfterMs: 3000 },
      message: "slow down",
    })
  })

  test.each([
    { held: "error.error", fields: { error: { message: "busy" } } },
    { held: "error.error as a text", fields: { error: "busy" } },
    { held: "error.body", fields: { body: '{"message":"busy"}' } },
  ])("the body is found in $held", ({ fields }) => {
    expect(classifyError(Object.assign(new Error("503 outer"), { status: 503 }, fields)).message).toBe("busy")
  })

  test("an SDK's message that repeats status and body is read back", () => {
    const error = Object.assign(new Error('400 {"error":{"message":"no such model","type":"x"}}'), {
      status: 400,
    })

    expect(classifyError(error).message).toBe("no such model")
  })
})

describe("toStreamFailureError", () => {
  test("makes a vendor's error event throwable", () => {
    const error = toStreamFailureError({
      body: { error: { type: "overloaded_error", message: "Overloaded" } },
    })

    expect(error).toMatchObject({
      name: "StreamFailureError",
      code: "STREAM_FAILURE",
      message: "Overloaded",
      failure: { code: "overloaded", retryable: true },
    })
  })
})
