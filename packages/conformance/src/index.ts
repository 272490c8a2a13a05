/**
 * What any `StreamFn` must pass, published for whoever writes one.
 *
 * This entry needs no test runner and no Node.js. The fault server and the vendors' wires are in `./node`,
 * the binding for vitest in `./vitest`.
 *
 * @packageDocumentation
 */
export { type Beat, type BeatBlock, type BlockKind, toBeats } from "./beat.ts"
export { conformanceCases } from "./cases.ts"
export {
  type AbortPlan,
  type Capabilities,
  type Capability,
  type ConformanceCase,
  type Expectation,
  type ExpectedBlock,
  type HookPlan,
  type Use,
  whySkipped,
} from "./conformance-case.ts"
export { fold } from "./fold.ts"
export { assertWellFormed, checkEvents } from "./grammar.ts"
export {
  CONFORMANCE_MODEL,
  type Connect,
  type Connection,
  type Harness,
  type ReceivedRequest,
} from "./harness.ts"
export { type PlayOptions, playScenario } from "./play.ts"
export {
  assertPassed,
  type CaseReport,
  type ConformanceReport,
  type RunOptions,
  runCase,
  runCases,
} from "./run-cases.ts"
export {
  callTool,
  callTools,
  cut,
  type Reply,
  type Scenario,
  type ScriptedCall,
  type ScriptedUsage,
  type Step,
  say,
  stall,
  stop,
  streams,
  think,
  usage,
} from "./scenario.ts"
export { ConformanceError, type Rule, type Violation } from "./violation.ts"
