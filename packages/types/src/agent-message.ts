import type { AssistantMessage, Message } from "./message.ts"

/**
 * Messages of an application's own, kept in the transcript beside the model's three.
 *
 * ```ts
 * declare module "@heddle/types" {
 *   interface CustomAgentMessages { notification: NotificationMessage }
 * }
 * ```
 *
 * A custom message needs a `role` of its own. Models see it only through `convertToLlm`.
 */
// biome-ignore lint/suspicious/noEmptyInterface: filled by declaration merging
export interface CustomAgentMessages {}

/** Anything a transcript may hold. */
export type AgentMessage = Message | CustomAgentMessages[keyof CustomAgentMessages]

/** The tool-call member of an assistant message's content. */
export type AgentToolCall = Extract<AssistantMessage["content"][number], { type: "toolCall" }>
