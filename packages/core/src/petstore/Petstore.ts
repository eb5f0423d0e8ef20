import type { HostTransaction } from "../ports/HostTransaction.ts"
import type { CallOptions } from "../services/Options.ts"
import type { VerificationReport } from "../services/Verification.ts"
import type { EventCommands } from "./EventCommands.ts"
import type { PetstoreApi } from "./PetstoreApi.ts"

/** What every call to a petstore in this process takes. */
export interface EmbeddedCallOptions extends CallOptions {
  /**
   * Runs the call inside a transaction that the host has open on its own connection to the same database, so that the
   * host's rows and those of the call are committed or rolled back together; what it answers is provisional until then. The
   * storage says what it takes, such as a `DatabaseSync` or a bridge. Await each call before the transaction ends.
   */
  readonly transaction?: HostTransaction | undefined
}

/** A petstore in this process: all of {@link PetstoreApi}, and what only the owner of the store can do. */
export interface Petstore extends PetstoreApi<EmbeddedCallOptions> {
  readonly events: EventCommands
  /** Checks every invariant on the data as it is. */
  verify(options?: CallOptions): Promise<VerificationReport>
  /**
   * Copies a committed state to a new file, while others go on writing. Rejects where the storage has no files. A copy
   * that has begun is finished, whatever the signal says.
   */
  backup(file: string, options?: CallOptions): Promise<void>
  /** Finishes what was begun and closes the store; later calls are refused with `shutting_down`. */
  close(): Promise<void>
  /** The same as {@link close}, for `await using`. */
  [Symbol.asyncDispose](): Promise<void>
}
