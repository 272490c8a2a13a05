import { redact } from "@heddle/provider-kit"
import type { TakenResponse } from "./intercept.ts"
import { readerOf } from "./read-frames.ts"
import { isWireObject, objectOf, textOf } from "./wire.ts"

/**
 * A response that says no, with what classification needs: the class of AWS's exception as its name, the status,
 * the headers and the body.
 */
export class Refusal extends Error {
  override readonly name: string
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string

  constructor({ status, headers }: TakenResponse, body: string) {
    super() // whatever there is to say is in the body
    this.name = exceptionOf(body)
    this.status = status
    this.headers = headers
    this.body = body
  }
}

/**
 * Reads the body.
 *
 * @param secrets What must not stand in it.
 */
export async function toRefusal(
  response: TakenResponse,
  secrets: readonly (string | undefined)[] = [],
): Promise<Refusal> {
  const body = response.body ? await textOfBody(response.body) : ""
  return new Refusal(response, redact(body, secrets))
}

async function textOfBody(body: NonNullable<TakenResponse["body"]>): Promise<string> {
  const reader = readerOf(body)
  const decoder = new TextDecoder()
  let text = ""
  while (text.length < LONGEST) {
    const { done, value } = await reader.read()
    if (done) return text + decoder.decode()
    text += typeof value === "string" ? value : decoder.decode(value, { stream: true })
  }
  void reader.cancel().catch(() => {})
  return text
}

/** A refusal explains itself in a few lines. In characters. */
const LONGEST = 1024 * 1024

/** AWS names it in a header, or like this: `{ "__type": "com.amazon.coral.service#AccessDeniedException" }`. */
function exceptionOf(body: string): string {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return "Error"
  }
  const { __type, code } = objectOf(isWireObject(parsed) ? parsed : {})
  return (textOf(__type) || textOf(code)).split("#").at(-1) || "Error"
}
