// Other processes commit in real time, so the timer stays real where a test replaces the global one.
import { clearInterval, setInterval } from "node:timers"
import type { StorageError } from "@petstore/core/ports"
import { Effect, type Scope } from "effect"
import type { Connection } from "./Connection.ts"
import { statementError } from "./errors.ts"

/** Milliseconds between two looks for what other connections have committed. */
const interval = 100

interface Watcher {
  readonly wake: () => void
}

/**
 * Tells watchers of commits: of those of the writer at once, of those of other connections and processes by looking for
 * them while anyone watches. SQLite knows whether another connection has committed without reading a row.
 */
export class CommitWatch {
  private readonly writer: Connection
  private readonly watchers = new Set<Watcher>()
  private timer: NodeJS.Timeout | undefined
  private version: unknown

  constructor(writer: Connection) {
    this.writer = writer
  }

  /** See `Storage.watch`. */
  readonly watch = (wake: () => void): Effect.Effect<void, StorageError, Scope.Scope> => {
    const watcher = { wake }
    return Effect.asVoid(
      Effect.acquireRelease(Effect.try({ try: () => this.add(watcher), catch: statementError }), () =>
        Effect.sync(() => this.remove(watcher))
      )
    )
  }

  /** The writer has committed. */
  readonly committed = (): void => {
    for (const { wake } of this.watchers) wake()
  }

  /** Looks no more. */
  readonly close: Effect.Effect<void> = Effect.sync(() => this.stop())

  private add(watcher: Watcher): void {
    const version = this.readVersion()
    this.watchers.add(watcher)
    if (this.timer !== undefined) return
    this.version = version
    this.timer = setInterval(this.look, interval).unref()
  }

  private remove(watcher: Watcher): void {
    this.watchers.delete(watcher)
    if (this.watchers.size === 0) this.stop()
  }

  private stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private readonly look = (): void => {
    let version: unknown
    try {
      version = this.readVersion()
    } catch {
      // Closed, or another process is in the way; what it has committed is found the next time.
      return
    }
    if (version === this.version) return
    this.version = version
    this.committed()
  }

  /** Another than before if another connection has committed since. */
  private readVersion(): unknown {
    return this.writer.prepare("PRAGMA data_version").get()?.data_version
  }
}
