/** The error body that OpenAI's two wires share. */
import type { RefusalBody } from "../wire.ts"

const ERRORS: Readonly<Record<number, { readonly type: string; readonly code: string | null }>> = {
  400: { type: "invalid_request_error", code: null },
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  403: { type: "invalid_request_error", code: "unsupported_country_region_territory" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  413: { type: "invalid_request_error", code: null },
  429: { type: "requests", code: "rate_limit_exceeded" },
  500: { type: "server_error", code: null },
  503: { type: "server_error", code: null },
  529: { type: "server_error", code: null },
}

/** @see https://platform.openai.com/docs/guides/error-codes */
export function openAiError(status: number, says: string): RefusalBody {
  const { type, code } = ERRORS[status] ?? { type: "server_error", code: null }
  return {
    contentType: "application/json",
    body: JSON.stringify({ error: { message: says, type, param: null, code } }),
  }
}
