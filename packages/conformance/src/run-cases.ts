/**
 * Runs cases on a StreamFn and reports; needs no test runner.
 *
 * Cases run one after the other, each on a connection of its own and in bounded time, so a StreamFn that
 * hangs fails its case and not the suite.
 */
import type { Context, Model, SimpleStreamOptions, StreamFn } from "@heddle/types"
import { checkAnswer } from "./answer.ts"
import { conformanceCases } from "./cases.ts"
import { type ConformanceCase, type HookPlan, whySkipped } from "./conformance-case.ts"
import { CONFORMANCE_MODEL, type Connection, type Harness } from "./harness.ts"
import { copyOf, freezeDeep, Ledger } from "./ledger.ts"
import { type Observation, observe } from "./observe.ts"
import { ConformanceError, type Rule, type Violation, violation } from "./violation.ts"

/** How the suite is run. */
export interface RunOptions {
  /** Default: {@link conformanceCases}. */
  readonly cases?: readonly ConformanceCase[]
  /** Caps the deadline of every case. Milliseconds; default: what the case says. */
  readonly deadlineMs?: number
}

/** What came of one case. */
export interface CaseReport {
  readonly name: string
  readonly outcome: "passed" | "failed" | "skipped"
  /** None, unless it failed. */
  readonly violations: readonly Violation[]
  /** Why it was skipped. */
  readonly skipped?: string
  readonly milliseconds: number
}

/** What came of a suite. */
export interface ConformanceReport {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
  readonly cases: readonly CaseReport[]
}

/** Runs the suite on what {@link Harness.connect} gives. */
export function runCases(harness: Harness, options?: RunOptions): Promise<ConformanceReport>
/** Runs the suite on a StreamFn; the harness's connections say how it reaches their scenario. */
export function runCases(
  streamFn: StreamFn | undefined,
  harness: Harness,
  options?: RunOptions,
): Promise<ConformanceReport>
export async function runCases(
  first: Harness | StreamFn | undefined,
  second?: Harness | RunOptions,
  third?: RunOptions,
): Promise<ConformanceReport> {
  const alone = typeof first === "object"
  const harness = (alone ? first : second) as Harness
  const options = ((alone ? second : third) ?? {}) as RunOptions
  const cases: CaseReport[] = []
  for (const test of options.cases ?? conformanceCases) {
    cases.push(await runCase(test, harness, { ...options, ...(!alone && first && { streamFn: first }) }))
  }
  const count = (outcome: CaseReport["outcome"]) =>
    cases.filter((report) => report.outcome === outcome).length
  return { passed: count("passed"), failed: count("failed"), skipped: count("skipped"), cases }
}

/** @throws {ConformanceError} that lists the violations of every case that failed. */
export function assertPassed(report: ConformanceReport): void {
  const violations = report.cases.flatMap(({ name, violations }) =>
    violations.map((one) => ({ ...one, message: `"${name}" breaks ${one.message}` })),
  )
  if (violations.length === 0) return
  const total = report.passed + report.failed
  throw new ConformanceError(`${report.failed} of ${total} conformance cases failed`, violations)
}

/** Runs one case. Never throws: what goes wrong is in the report. */
export async function runCase(
  test: ConformanceCase,
  harness: Harness,
  options: Pick<RunOptions, "deadlineMs"> & { readonly streamFn?: StreamFn } = {},
): Promise<CaseReport> {
  const why = whySkipped(test, harness.capabilities)
  if (why !== undefined) {
    return { name: test.name, outcome: "skipped", violations: [], skipped: why, milliseconds: 0 }
  }
  const begun = performance.now()
  const violations = await attempt(test, harness, options)
  const milliseconds = Math.round(performance.now() - begun)
  return { name: test.name, outcome: violations.length === 0 ? "passed" : "failed", violations, milliseconds }
}

async function attempt(
  test: ConformanceCase,
  harness: Harness,
  options: Pick<RunOptions, "deadlineMs"> & { readonly streamFn?: StreamFn },
): Promise<Violation[]> {
  let connection: Connection
  try {
    const connected = await within(CONNECT_MS, "connect() took too long", harness.connect(test.scenario))
    connection = typeof connected === "function" ? { streamFn: connected } : connected
  } catch (error) {
    return [violation("harness", `connect() failed: ${reasonOf(error)}`)]
  }
  const violations: Violation[] = []
  try {
    const streamFn = connection.streamFn ?? options.streamFn
    if (streamFn)
      violations.push(...(await check(test, connection, streamFn, options.deadlineMs ?? Infinity)))
    else violations.push(violation("harness", "there is no StreamFn: neither runner nor connection has one"))
  } catch (error) {
    violations.push(violation("harness", `the case could not be carried out: ${reasonOf(error)}`))
  }
  try {
    await within(CONNECT_MS, "close() took too long", connection.close?.())
  } catch (error) {
    violations.push(violation("harness", `close() failed: ${reasonOf(error)}`))
  }
  return violations
}

/** How long setting up and clearing away may take. Milliseconds. */
const CONNECT_MS = 5_000

async function within<T>(milliseconds: number, otherwise: string, work: T | Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(otherwise)), milliseconds)
  })
  try {
    return await Promise.race([work, late])
  } finally {
    clearTimeout(timer)
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

async function check(
  test: ConformanceCase,
  connection: Connection,
  streamFn: StreamFn,
  capMs: number,
): Promise<Violation[]> {
  const inputs = new Inputs(test, connection)
  const abortDeadlineMs = Math.min(test.deadlineMs ?? 1_000, capMs)
  const deadlineMs = Math.min(test.deadlineMs ?? 5_000, capMs)
  const { use = "events" } = test
  const watch = () =>
    observe({
      streamFn,
      model: inputs.model,
      context: inputs.context,
      options: inputs.options,
      use: use === "twice" ? "events" : use,
      abort: test.abort,
      requested: () => becomes(() => (connection.requests?.().length ?? 1) > 0, deadlineMs),
      fire: inputs.fire,
      deadlineMs,
      abortDeadlineMs,
    })
  const observations = await Promise.all(use === "twice" ? [watch(), watch()] : [watch()])
  const secrets = connection.secrets ?? [connection.options?.apiKey ?? ""]
  return [
    ...observations.flatMap((observation: Observation) => [
      ...observation.violations,
      ...checkAnswer(test.expect, observation, secrets),
    ]),
    ...inputs.violations(),
    ...(await checkRequests(test, connection, abortDeadlineMs)),
  ]
}

const MARKER = "marker_of_the_replacement"

/** What is passed to the StreamFn, and whether it is still what it was. */
class Inputs {
  readonly model: Model
  readonly context: Context
  readonly options: SimpleStreamOptions
  readonly #ledger = new Ledger()
  readonly #controller = new AbortController()
  readonly #test: ConformanceCase
  #status: number | undefined

  constructor(test: ConformanceCase, connection: Connection) {
    this.#test = test
    this.model = copyOf(connection.model ?? CONFORMANCE_MODEL)
    this.context = copyOf(test.context ?? { messages: [{ role: "user", content: "Hello?", timestamp: 1 }] })
    this.options = {
      maxRetries: 0,
      ...copyOf(connection.options),
      ...copyOf(test.options),
      ...(test.hook && this.#hook(test.hook)),
      signal: this.#controller.signal,
    }
    if (test.frozen) for (const input of [this.model, this.context, this.options]) freezeDeep(input)
    this.#ledger.record(this.model, "model", "model")
    this.#ledger.record(this.context, "context", "context")
    this.#ledger.record(this.options, "options", "options")
  }

  readonly fire = (): void => this.#controller.abort()

  violations(): Violation[] {
    const violations = this.#ledger
      .changes()
      .map(({ label, says }) => violation("inputs-untouched", `the caller's ${label} was written: ${says}`))
    const expected = this.#test.expect.responseStatus
    if (expected !== undefined && this.#status !== expected) {
      violations.push(
        violation("request", `onResponse was told the status ${this.#status}, expected ${expected}`),
      )
    }
    return violations
  }

  #hook(plan: HookPlan): Pick<SimpleStreamOptions, "onPayload" | "onResponse"> {
    switch (plan) {
      case "onPayload throws":
        return {
          onPayload: () => {
            throw new Error("The hook of the caller failed")
          },
        }
      case "onResponse throws":
        return {
          onResponse: () => {
            throw new Error("The hook of the caller failed")
          },
        }
      case "onPayload replaces":
        return { onPayload: (payload) => ({ ...(payload as object), [MARKER]: true }) }
      case "onResponse listens":
        return {
          onResponse: ({ status }) => {
            this.#status = status
          },
        }
    }
  }
}

async function checkRequests(
  { expect: expected }: ConformanceCase,
  { requests }: Connection,
  withinMs: number,
): Promise<Violation[]> {
  if (!requests) return []
  const violations: Violation[] = []
  const report = (rule: Rule, says: string) => violations.push(violation(rule, says))
  if (expected.hangsUp && !(await becomes(() => requests().some(({ hungUp }) => hungUp), withinMs))) {
    report("request", `the other side did not see the client hang up within ${withinMs} ms`)
  }
  const count = requests().length
  if (expected.requests !== undefined && count !== expected.requests) {
    report("request", `${count} requests reached the other side, expected ${expected.requests}`)
  }
  const body = requests()[0]?.body ?? ""
  for (const text of expected.requestContains ?? []) {
    if (!body.includes(text)) report("request", `the request does not hold "${text.slice(0, 60)}"`)
  }
  return violations
}

/** Asks again until it is so: the other side learns of things a little later. */
async function becomes(isSo: () => boolean, withinMs: number): Promise<boolean> {
  const until = performance.now() + withinMs
  while (!isSo()) {
    if (performance.now() > until) return false
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return true
}
