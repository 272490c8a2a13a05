/**
 * What any `StreamFn` must pass, published for whoever writes one.
 *
 * This entry needs no test runner and no Node.js. The fault server and the vendors' wires are in `./node`,
 * the binding for vitest in `./vitest`.
 *
 * @packageDocumentation
 */
export { fold } from "./fold.ts"
export { assertWellFormed, checkEvents } from "./grammar.ts"
export { ConformanceError, type Rule, type Violation } from "./violation.ts"
