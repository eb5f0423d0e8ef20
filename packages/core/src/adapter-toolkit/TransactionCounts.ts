import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import { PetstoreError } from "../domain/errors/PetstoreError.ts"
import { TransactionSpan } from "../ports/HostTransaction.ts"
import { groupSizeLimits, type StorageActivity } from "../ports/StorageActivity.ts"

/** Counts the transactions and commits of a store, to implement {@link Storage.activity}. */
export class TransactionCounts implements StorageActivity {
  committed = 0
  rejected = 0
  retried = 0
  failed = 0
  commits = 0
  grouped = 0
  largestGroup = 0
  readonly groupSizes: Array<number> = groupSizeLimits.map(() => 0)
  private readonly queued: () => number

  /** `queued` returns how many transactions wait for their turn. Default: none. */
  constructor(queued: () => number = () => 0) {
    this.queued = queued
  }

  get waiting(): number {
    return this.queued()
  }

  /** Counts the result of a transaction. Call it once for each. */
  settled(exit: Exit.Exit<unknown, unknown>): void {
    if (Exit.isSuccess(exit)) this.committed++
    else if (exit.cause.reasons.some(isFault)) this.failed++
    else this.rejected++
  }

  /** Counts a commit that changed something, with the number of its transactions. */
  commit(size: number): void {
    this.commits++
    this.grouped += size
    if (size > this.largestGroup) this.largestGroup = size
    const at = size <= 1 ? 0 : 32 - Math.clz32(size - 1)
    const last = this.groupSizes.length - 1
    this.groupSizes[Math.min(at, last)] = (this.groupSizes[Math.min(at, last)] ?? 0) + 1
  }
}

const isFault = (reason: { readonly _tag: string; readonly error?: unknown }): boolean =>
  reason._tag === "Die" ||
  (reason._tag === "Fail" && reason.error instanceof PetstoreError && reason.error.status >= 500)

/** Adds to the span of a transaction, if it has one, how many transactions share its commit. `context`: of its command. */
export const describeCommit = (context: Context.Context<never>, size: number): void =>
  Context.getOrUndefined(context, TransactionSpan)?.attribute("petstore.commit.transactions", size)
