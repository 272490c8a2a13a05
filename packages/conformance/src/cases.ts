/** The suite: everything a StreamFn must do, as data. */
import { abortCases } from "./cases-abort.ts"
import { answerCases } from "./cases-answer.ts"
import { callerCases } from "./cases-caller.ts"
import { failureCases } from "./cases-failure.ts"
import type { ConformanceCase } from "./conformance-case.ts"

/** Every case, in reading order. Pick with `filter`, add your own with `concat`. */
export const conformanceCases: readonly ConformanceCase[] = [
  ...answerCases,
  ...abortCases,
  ...failureCases,
  ...callerCases,
]
