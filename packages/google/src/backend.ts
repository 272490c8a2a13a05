/**
 * Tells the Gemini API and Vertex AI apart: one wire, two addresses, two kinds of credentials.
 *
 * What the configuration says counts; else a ready client's own setting, the model's provider, and its address.
 */
import { envKey, hostOf } from "@heddle/provider-kit"
import type { Model } from "@heddle/types"

/** What decides. */
export interface BackendConfig {
  readonly vertexai?: boolean | undefined
  readonly project?: string | undefined
  readonly baseUrl?: string | undefined
  readonly client?: unknown
}

/** `aiplatform.googleapis.com`, `us-central1-aiplatform.…`, `aiplatform.eu.rep.…`. */
const VERTEX_HOST = /(^|-)aiplatform(\.\w+\.rep)?\.googleapis\.com$/

/** Whether requests for the model go to Vertex AI. */
export function isVertex(model: Model, config: BackendConfig): boolean {
  const { vertexai: ofClient } = (config.client ?? {}) as { vertexai?: unknown }
  if (config.vertexai !== undefined) return config.vertexai
  if (typeof ofClient === "boolean") return ofClient
  return model.provider === "google-vertex" || VERTEX_HOST.test(hostOf(config.baseUrl || model.baseUrl))
}

/** Vertex bills a project, whose own credentials win over a key that happens to be in the environment. */
export function envKeys(model: Model, config: BackendConfig): readonly string[] {
  if (!isVertex(model, config)) return ["GOOGLE_API_KEY", "GEMINI_API_KEY"]
  return config.project || envKey(["GOOGLE_CLOUD_PROJECT"]) ? [] : ["GOOGLE_API_KEY"]
}

/** Has everything that is sent here; the stable version gets it later. */
const GEMINI_API_VERSION = "v1beta"

/**
 * @param baseUrl May end in a version of its own (`…/v1beta`).
 * @returns the version to be added to the address, empty for none; undefined for the SDK's own.
 */
export function apiVersionOf(baseUrl: string | undefined, vertexai: boolean): string | undefined {
  if (baseUrl && /\/v\d+\w*\/*$/.test(baseUrl)) return ""
  return vertexai ? undefined : GEMINI_API_VERSION
}
