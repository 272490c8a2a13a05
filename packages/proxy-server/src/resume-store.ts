/**
 * What a stream needs so that its client can come back to another process: its events, whose it is, and a way to
 * tell the process that has the upstream who is there.
 *
 * Everything is a string or a number, and every method may be asynchronous. In Redis: a key for the owner, a
 * list or a stream for the events, a channel for the signals, an expiry for them all.
 */

/** What the processes tell each other: a reader has come, has gone, or does not want the answer any more. */
export type StreamSignal = "attached" | "detached" | "abort"

/** See the head of this file. */
export interface ResumeStore {
  /** Begins a stream. Ids are random and never used twice. */
  create(streamId: string, owner: string): void | Promise<void>
  /** @returns who began the stream; undefined when there is none. */
  owner(streamId: string): string | undefined | Promise<string | undefined>
  /** Adds events to the end. They are numbered from 1, in their order. Never called twice at the same time. */
  append(streamId: string, events: readonly string[]): void | Promise<void>
  /**
   * Waits until there is an event behind this one, or the signal fires.
   *
   * @param after The number of an event; 0 for the start.
   * @returns events that follow it, at least one unless the signal fired; undefined when they are not kept.
   */
  read(
    streamId: string,
    after: number,
    signal: AbortSignal,
  ): readonly string[] | undefined | Promise<readonly string[] | undefined>
  /** Hands a signal to everybody who is subscribed at the moment, in whatever process. */
  publish(streamId: string, signal: StreamSignal): void | Promise<void>
  /** @returns what ends the subscription. */
  subscribe(streamId: string, listener: (signal: StreamSignal) => void): (() => void) | Promise<() => void>
  /** Forgets the stream after so many milliseconds. */
  expire(streamId: string, afterMs: number): void | Promise<void>
}

interface StoredStream {
  readonly owner: string
  readonly events: string[]
  readonly waiting: Set<() => void>
  readonly listeners: Set<(signal: StreamSignal) => void>
}

/**
 * A store in the memory of this process, for several handlers in it, and an example for stores elsewhere. A handler
 * alone needs none: it keeps its streams by itself.
 */
export function memoryResumeStore(): ResumeStore {
  const streams = new Map<string, StoredStream>()
  const known = (streamId: string): StoredStream | undefined => streams.get(streamId)
  return {
    create: (streamId, owner) => {
      streams.set(streamId, { owner, events: [], waiting: new Set(), listeners: new Set() })
    },
    owner: (streamId) => known(streamId)?.owner,
    append: (streamId, events) => {
      const stream = known(streamId)
      stream?.events.push(...events)
      for (const wake of stream?.waiting ?? []) wake()
    },
    read: async (streamId, after, signal) => {
      const stream = known(streamId)
      if (stream && after >= stream.events.length && !signal.aborted) await somethingNew(stream, signal)
      return stream?.events.slice(after)
    },
    publish: (streamId, signal) => {
      for (const listener of known(streamId)?.listeners ?? []) listener(signal)
    },
    subscribe: (streamId, listener) => {
      known(streamId)?.listeners.add(listener)
      return () => known(streamId)?.listeners.delete(listener)
    },
    expire: (streamId, afterMs) => {
      const timer: { unref?: () => void } | number = setTimeout(() => streams.delete(streamId), afterMs)
      if (typeof timer === "object") timer.unref?.()
    },
  }
}

function somethingNew({ waiting }: StoredStream, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      waiting.delete(wake)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    waiting.add(wake)
    signal.addEventListener("abort", wake)
  })
}
