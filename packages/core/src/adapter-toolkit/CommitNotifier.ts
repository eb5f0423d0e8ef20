import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { StorageError } from "../ports/StorageError.ts"

// Other processes commit in real time, so the timer stays real where a test replaces the global one.
const { clearInterval, setInterval } = globalThis

/** Milliseconds between two looks for what others have committed. */
const interval = 100

interface Watcher {
  readonly wake: () => void
}

/** How to find out what was committed elsewhere, for databases that other processes write to as well. */
export interface CommitVersion {
  /** Answers at once and cheaply something that differs (`!==`) after each commit that was made elsewhere. */
  readonly read: () => unknown
  /** What it says of the store that the reading threw this. */
  readonly errorOf: (thrown: unknown) => StorageError
}

/**
 * Tells watchers of commits, for adapters to make `Storage.watch` with: of their own at once, by `committed`, and of those
 * of other connections and processes by looking at a version ten times a second while anyone watches.
 */
export class CommitNotifier {
  private readonly version: CommitVersion | undefined
  private readonly watchers = new Set<Watcher>()
  private timer: ReturnType<typeof setInterval> | undefined
  private seen: unknown

  /** Without a version, nobody else commits. */
  constructor(version?: CommitVersion) {
    this.version = version
  }

  /** See `Storage.watch`. */
  readonly watch = (wake: () => void): Effect.Effect<void, StorageError, Scope.Scope> => {
    const watcher = { wake }
    return Effect.asVoid(Effect.acquireRelease(this.add(watcher), () => Effect.sync(() => this.remove(watcher))))
  }

  /** Something was committed by those who say so. */
  readonly notify = (): void => {
    for (const { wake } of this.watchers) wake()
  }

  /** Looks no more. */
  readonly close: Effect.Effect<void> = Effect.sync(() => this.stop())

  private add(watcher: Watcher): Effect.Effect<void, StorageError> {
    const { version } = this
    if (version === undefined) return Effect.sync(() => this.watchers.add(watcher))
    return Effect.try({
      try: () => {
        const now = version.read()
        this.watchers.add(watcher)
        if (this.timer !== undefined) return
        this.seen = now
        this.timer = setInterval(() => this.look(version), interval)
        letExit(this.timer)
      },
      catch: version.errorOf
    })
  }

  private remove(watcher: Watcher): void {
    this.watchers.delete(watcher)
    if (this.watchers.size === 0) this.stop()
  }

  private stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private look(version: CommitVersion): void {
    let now: unknown
    try {
      now = version.read()
    } catch {
      // Closed, or another process is in the way; what it has committed is found the next time.
      return
    }
    if (now === this.seen) return
    this.seen = now
    this.notify()
  }
}

/** A process that has nothing else to do does not wait for this timer; outside of Node.js there is nothing to say. */
const letExit = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref()
  }
}
