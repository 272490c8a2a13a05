/**
 * Stands between the SDK and the network, for one command.
 *
 * The SDK does what it is good at: it finds credentials and the endpoint, and signs. On the way there it would
 * leave out of the body what its model of the service does not know; on the way back it would wait for the first
 * event before it says that there is a response, decode what it knows, and try a refusal again by itself. So the
 * body is ours, and the innermost middleware keeps the real outcome, refusals and dead connections included, and
 * shows the SDK an empty response in its place.
 *
 * @see https://aws.amazon.com/blogs/developer/middleware-stack-modular-aws-sdk-js/
 */
import type { ConverseStreamCommand } from "@aws-sdk/client-bedrock-runtime"
import type { ByteStream, RequestHeaders } from "@heddle/provider-kit"
import { toBase64 } from "./base64.ts"
import type { ConverseRequest } from "./to-request.ts"

/** A response whose body nobody has read. */
export interface TakenResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ByteStream | null
}

/** What came of a command that was sent. */
export interface Outcome {
  /** Absent where the command never reached a network, because the client is somebody's double. */
  readonly response?: TakenResponse
  /** Why there is no response. */
  readonly error?: unknown
  /** What was sent and must not be shown: AWS quotes whole requests whose signature is wrong. */
  readonly secrets?: readonly (string | undefined)[]
}

/** The parts of the SDK's messages that are looked at. */
interface HttpRequest {
  headers: Record<string, string>
  body?: unknown
}
interface HttpResponse {
  statusCode: number
  headers: Record<string, string>
  body?: unknown
}

/**
 * @param headers Set, or with null removed: before the request is signed, so that the signature covers them, and
 * again on top of what signing has added.
 * @returns how to ask for the outcome when the client has sent the command.
 */
export function intercept(command: ConverseStreamCommand, headers: RequestHeaders): () => Outcome {
  const { middlewareStack, input: payload } = command
  let outcome: Outcome = {}
  middlewareStack.add(
    (next) => (step) => next({ ...step, input: { modelId: step.input.modelId } as ConverseRequest }),
    { step: "initialize", priority: "low", name: "heddleInput" },
  )
  middlewareStack.add(
    (next) => (step) => {
      const request = step.request as HttpRequest
      request.body = toBody(payload)
      request.headers["content-type"] = "application/json"
      return next(step)
    },
    { step: "serialize", priority: "low", name: "heddleBody" },
  )
  middlewareStack.add(
    (next) => (step) => {
      setHeaders(step.request as HttpRequest, headers)
      return next(step)
    },
    { step: "build", priority: "low", name: "heddleHeaders" },
  )
  middlewareStack.add(
    (next) => async (step) => {
      const request = step.request as HttpRequest
      setHeaders(request, headers)
      let received: Record<string, string> = {}
      try {
        const response = (await next(step)).response as HttpResponse
        outcome = { response: toTaken(response), secrets: secretsOf(request) }
        received = response.headers
      } catch (error) {
        outcome = { error }
      }
      return { response: emptyResponse(received) } as Awaited<ReturnType<typeof next>>
    },
    { step: "deserialize", priority: "low", name: "heddleResponse" },
  )
  return () => outcome
}

/** Everything but the model's id, which is in the path; bytes are base64 on the wire. */
function toBody({ modelId: _, ...body }: ConverseRequest): string {
  return JSON.stringify(body, function (this: Readonly<Record<string, unknown>>, key, value: unknown) {
    const bytes = this[key] // a Buffer of Node.js has become something else in `value`
    return bytes instanceof Uint8Array ? toBase64(bytes) : value
  })
}

function toTaken({ statusCode: status, headers, body }: HttpResponse): TakenResponse {
  return { status, headers, body: (body as ByteStream | undefined) ?? null }
}

function secretsOf({ headers }: HttpRequest): (string | undefined)[] {
  return [headers["x-amz-security-token"], headers.authorization?.replace(/^Bearer /, "")]
}

/** The headers stay: the SDK corrects its clock by them. */
function emptyResponse(headers: Record<string, string>): HttpResponse {
  return { statusCode: 200, headers, body: NO_EVENTS }
}

const NO_EVENTS: AsyncIterable<Uint8Array> = {
  async *[Symbol.asyncIterator]() {},
}

function setHeaders({ headers: present }: HttpRequest, headers: RequestHeaders): void {
  for (const [name, value] of Object.entries(headers)) {
    for (const known of Object.keys(present)) if (known.toLowerCase() === name) delete present[known]
    if (value !== null) present[name] = value
  }
}
