/**
 * Gemini as a StreamFn. See the package's README.
 *
 * @packageDocumentation
 */
export { type GoogleGenerativeAiConfig, googleGenerativeAi } from "./adapter.ts"
export type { GoogleGenerativeAiCompat } from "./compat.ts"
export type { SafetySetting } from "./to-request.ts"
