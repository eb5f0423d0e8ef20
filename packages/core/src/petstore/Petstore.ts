import type { VerificationReport } from "../services/Verification.ts"
import type { CallOptions, PetstoreApi } from "./PetstoreApi.ts"

/** A petstore in this process: all of {@link PetstoreApi}, and what only the owner of the store can do. */
export interface Petstore extends PetstoreApi {
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
