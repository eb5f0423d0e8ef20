import { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { CommitNotifier } from "./CommitNotifier.ts"

/** What a body that runs does; at most one at a time writes. */
type Activity = "none" | "reading" | "writing"

/**
 * A database whose calls answer at once, with transactions by the rules of {@link Storage}: for adapters, which say how
 * their engine runs one and add their tables. The stores of one database in one process share one of these.
 */
export abstract class SynchronousDatabase {
  /** What is running now. Bodies run to their end at once, so whoever finds one running was woken up by it. */
  activity: Activity = "none"
  /** Who is told of commits; replaced where other processes commit too. */
  readonly watch = new CommitNotifier()

  /**
   * Runs `body` in a transaction of the engine, or inside the one that is open as a part that can be taken back alone.
   * Keeps what was done where `body` answers true (durably, where it is the outermost), else takes it back. Throws where
   * it could not be kept; then nothing of it is left.
   */
  abstract readonly transaction: (body: () => boolean) => void

  /** What it says of the store that an operation threw this. */
  readonly errorOf: (thrown: unknown) => StorageError = (cause) => new InternalError({}, { cause })

  /** Writes something small in a transaction, which `ready` then makes durable; for databases on a disk. */
  readonly probe: () => void = () => {}

  /** Makes the reads that follow, outside of transactions, see what is committed now and one moment. */
  readonly refresh: () => void = () => {}

  /** Runs a body to its end, and lets others know meanwhile. */
  during<A>(activity: Activity, body: () => A): A {
    const outer = this.activity
    this.activity = activity
    try {
      return body()
    } finally {
      this.activity = outer
    }
  }
}
