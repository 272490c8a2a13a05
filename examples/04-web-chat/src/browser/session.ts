/** What the server lets this page do: a token for the proxy, and the models it may ask for. */
import type { Model } from "@heddle/types"

export interface Session {
  /** Good for as long as the server runs, and for nothing but its proxy. */
  readonly token: string
  readonly models: readonly Model[]
  /** The name of the model to begin with. */
  readonly model: string
}

/** @throws an Error for the person at the page. */
export async function openSession(): Promise<Session> {
  const response = await fetch("/api/session").catch(() => undefined)
  if (!response?.ok) throw new Error("The server does not answer. Start it again, then reload this page.")
  return response.json()
}

/** `openai/gpt-6-luna`: how a model is named in the picker and on the command line. */
export function nameOf({ provider, id }: Pick<Model, "provider" | "id">): string {
  return `${provider}/${id}`
}
