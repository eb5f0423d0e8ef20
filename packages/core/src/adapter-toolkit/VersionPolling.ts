import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StorageError } from "../ports/StorageError.ts"

// Other processes commit in real time, so the timer stays real where a test replaces the global one.
const clearInterval = globalThis.clearInterval
const setInterval = globalThis.setInterval

/** Milliseconds between two reads of the version. */
const intervalMillis = 100

/** How to detect the commits of other connections and processes. */
export interface CommitVersion {
  /**
   * Returns a value that differs (`!==`) after each commit of another connection, or a Promise or an Effect of it. Must be
   * cheap. A new read begins only after the one before has ended, so one that may hang needs a timeout.
   */
  readonly read: () => unknown
  /** The storage error for something that `read` threw, or with which its Promise or Effect failed. */
  readonly errorOf: (thrown: unknown) => StorageError
}

/** Reads the version once, interruptibly. */
export const readVersion = ({ errorOf, read }: CommitVersion): Effect.Effect<unknown, StorageError> =>
  Effect.flatMap(Effect.try({ try: read, catch: errorOf }), (now) => later(now, errorOf) ?? Effect.succeed(now))

/** A version that comes later, as an Effect; undefined for one that is there. */
const later = (
  version: unknown,
  errorOf: CommitVersion["errorOf"]
): Effect.Effect<unknown, StorageError> | undefined => {
  if (Effect.isEffect(version)) return Effect.mapError(version as Effect.Effect<unknown, unknown>, errorOf)
  return version instanceof Promise ? Effect.tryPromise({ try: () => version, catch: errorOf }) : undefined
}

/** Reads a version ten times a second until it is stopped, and reports changes. A read that fails is tried again at the next tick. */
export class VersionPolling {
  private readonly version: CommitVersion
  private readonly onChange: () => void
  private readonly timer: ReturnType<typeof setInterval>
  private seen: unknown
  /** Interrupts the read that is under way. */
  private cancelRead: (() => void) | undefined
  private isStopped = false

  constructor(version: CommitVersion, seen: unknown, onChange: () => void) {
    this.version = version
    this.seen = seen
    this.onChange = onChange
    this.timer = setInterval(() => this.read(), intervalMillis)
    letExit(this.timer)
  }

  stop(): void {
    this.isStopped = true
    clearInterval(this.timer)
    this.cancelRead?.()
  }

  private read(): void {
    if (this.cancelRead !== undefined) return
    let now: unknown
    try {
      now = this.version.read()
    } catch {
      // Closed, or locked by another process; the next read detects what it commits.
      return
    }
    const awaited = later(now, this.version.errorOf)
    if (awaited === undefined) this.compare(now)
    else this.wait(awaited)
  }

  private wait(version: Effect.Effect<unknown, StorageError>): void {
    const fiber = Effect.runFork(version)
    this.cancelRead = () => fiber.interruptUnsafe()
    fiber.addObserver((exit) => {
      this.cancelRead = undefined
      if (Exit.isSuccess(exit)) this.compare(exit.value)
    })
  }

  private compare(now: unknown): void {
    if (this.isStopped || now === this.seen) return
    this.seen = now
    this.onChange()
  }
}

/** Lets a Node.js process exit while this timer runs. Other runtimes have no such method. */
const letExit = (timer: unknown): void => {
  if (typeof timer === "object" && timer !== null && "unref" in timer && typeof timer.unref === "function") {
    timer.unref()
  }
}
