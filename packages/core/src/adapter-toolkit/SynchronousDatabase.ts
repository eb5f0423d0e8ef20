import { InternalError } from "../domain/errors/ServiceErrors.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { CommitNotifier } from "./CommitNotifier.ts"

/** What runs; one command at a time writes. */
type Activity = "none" | "reading" | "writing"

/**
 * A database whose calls are synchronous, with transactions by the rules of {@link Storage}. An adapter extends it with
 * how its engine runs a transaction, and adds its tables. The stores of one database in one process must share one of these.
 */
export abstract class SynchronousDatabase {
  /** What runs now. It runs to its end in one turn, so a call that finds something running was made from within it. */
  activity: Activity = "none"
  /** Notifies subscribers of commits. Give it a version if other processes commit too. */
  readonly commits = new CommitNotifier()

  /** Does work in a transaction of the engine. Throws what the work throws, or why it could not be kept; then nothing of it is left. */
  abstract transaction<A>(work: () => A): A

  /** The storage error for something that an operation or `transaction` threw: an error of the domain, if a value is taken. */
  errorOf(thrown: unknown): StorageError {
    return new InternalError({}, { cause: thrown })
  }

  /** Writes something small in a transaction, which `ready` then makes durable; for databases on a disk. */
  probe(): void {}

  /** Makes the reads that follow, outside of transactions, see one state: the latest that is committed. */
  refresh(): void {}

  /** Runs something to its end with this as the {@link SynchronousDatabase.activity}. */
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
