/**
 * The suite as vitest tests: one `describe`, one `test` per case.
 *
 * @packageDocumentation
 */
import type { StreamFn } from "@heddle/types"
import { describe, test } from "vitest"
import { conformanceCases } from "./cases.ts"
import { type ConformanceCase, whySkipped } from "./conformance-case.ts"
import type { Harness } from "./harness.ts"
import { runCase } from "./run-cases.ts"
import { ConformanceError } from "./violation.ts"

/** What the suite runs on. */
export interface DescribeOptions extends Harness {
  /** For connections that bring no StreamFn of their own. */
  readonly streamFn?: StreamFn
  /** Default: {@link conformanceCases}. */
  readonly cases?: readonly ConformanceCase[]
}

/** More than any case takes by its own deadlines. Milliseconds. */
const TEST_TIMEOUT_MS = 30_000

/**
 * Declares the conformance suite of one StreamFn.
 *
 * A case that needs a capability which is not declared is shown as skipped, with the reason in its name.
 */
export function describeStreamFn(name: string, options: DescribeOptions): void {
  const { streamFn, cases = conformanceCases, capabilities } = options
  describe(name, () => {
    for (const one of cases) {
      const why = whySkipped(one, capabilities)
      test.skipIf(why !== undefined)(
        why === undefined ? one.name : `${one.name} (${why})`,
        async () => {
          const { violations } = await runCase(one, options, { ...(streamFn && { streamFn }) })
          if (violations.length > 0) throw new ConformanceError(`"${one.name}" does not hold`, violations)
        },
        TEST_TIMEOUT_MS,
      )
    }
  })
}
