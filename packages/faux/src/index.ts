/**
 * A scripted model provider, and record and replay of real ones.
 *
 * @packageDocumentation
 */
export {
  type FauxOptions,
  type FauxRequest,
  type FauxStreamFn,
  faux,
  ScriptNotExhaustedError,
} from "./faux.ts"
export { fauxModel } from "./faux-model.ts"
export type { RecordingSink } from "./line-writer.ts"
export type { Malformation } from "./malformed.ts"
export type { PaceOptions } from "./pace.ts"
export { type RecordingStreamFn, type RecordOptions, record } from "./record.ts"
export { RecordingError } from "./recording.ts"
export { type RecordingSource, type ReplayOptions, replay } from "./replay.ts"
export {
  callTool,
  cut,
  fail,
  hang,
  malformed,
  opaque,
  type Reply,
  type ReplyFn,
  type ReplyPart,
  type Script,
  type ScriptedFailure,
  type ScriptedStop,
  say,
  stop,
  think,
  usage,
  wait,
} from "./script.ts"
export type { Sleep } from "./sleep.ts"
