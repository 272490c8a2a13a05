/**
 * Where Google's failures mean something else than their status says.
 *
 * @see https://ai.google.dev/gemini-api/docs/troubleshooting
 */
import type { FailureRule } from "@heddle/provider-kit"

export const FAILURE_RULES: readonly FailureRule[] = [
  // A quota of nothing: the plan does not include the model, and no wait changes that.
  { status: 429, text: "limit: 0,", code: "quota" },
  // CANCELLED by the other side, in the middle of an answer.
  { status: 499, code: "server" },
  // What Google's own authentication library says, before any request.
  { text: "could not load the default credentials", code: "auth" },
  { text: "unable to detect a project id", code: "auth" },
  { text: "authentication is not set up", code: "auth" },
  { word: "invalid_grant", code: "auth" },
  { text: "invalid_grant", code: "auth" },
  // What the SDK says of a model id.
  { text: "invalid model parameter", code: "invalid_request" },
  { text: "model is required", code: "invalid_request" },
]
