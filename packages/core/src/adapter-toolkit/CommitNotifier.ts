import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../ports/StorageError.ts"

// Other processes commit in real time, so the timer stays real where a test replaces the global one.
const { clearInterval, setInterval } = globalThis

/** Milliseconds between two reads of the version. */
const interval = 100

interface Subscriber {
  readonly notify: () => void
}

/** How to detect the commits of other connections and processes. */
export interface CommitVersion {
  /** Returns a value that differs (`!==`) after each commit of another connection. Must be synchronous and cheap. */
  readonly read: () => unknown
  /** The storage error for something that `read` threw. */
  readonly errorOf: (thrown: unknown) => StorageError
}

/**
 * Notifies subscribers of commits, to implement {@link Storage.watch}: of own commits when the adapter calls
 * {@link CommitNotifier.notify}, and of those of other connections and processes by reading a version ten times a second
 * while there are subscribers.
 */
export class CommitNotifier {
  private readonly version: CommitVersion | undefined
  private readonly subscribers = new Set<Subscriber>()
  private timer: ReturnType<typeof setInterval> | undefined
  private seen: unknown

  /** Omit `version` if no other connection or process commits. */
  constructor(version?: CommitVersion) {
    this.version = version
  }

  /** See {@link Storage.watch}. */
  readonly watch = (notify: () => void): Effect.Effect<void, StorageError, Scope.Scope> => {
    const subscriber = { notify }
    return Effect.asVoid(Effect.acquireRelease(this.add(subscriber), () => Effect.sync(() => this.remove(subscriber))))
  }

  /** Notifies all subscribers. Call it after every commit of your own. */
  readonly notify = (): void => {
    for (const { notify } of this.subscribers) notify()
  }

  /** Stops reading the version. */
  readonly close: Effect.Effect<void> = Effect.sync(() => this.stop())

  private add(subscriber: Subscriber): Effect.Effect<void, StorageError> {
    const { version } = this
    if (version === undefined) return Effect.sync(() => this.subscribers.add(subscriber))
    return Effect.try({
      try: () => {
        const now = version.read()
        this.subscribers.add(subscriber)
        if (this.timer !== undefined) return
        this.seen = now
        this.timer = setInterval(() => this.check(version), interval)
        letExit(this.timer)
      },
      catch: version.errorOf
    })
  }

  private remove(subscriber: Subscriber): void {
    this.subscribers.delete(subscriber)
    if (this.subscribers.size === 0) this.stop()
  }

  private stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private check(version: CommitVersion): void {
    let now: unknown
    try {
      now = version.read()
    } catch {
      // Closed, or locked by another process; the next read detects what it commits.
      return
    }
    if (now === this.seen) return
    this.seen = now
    this.notify()
  }
}

/** Lets a Node.js process exit while this timer runs. Other runtimes have no such method. */
const letExit = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref()
  }
}
