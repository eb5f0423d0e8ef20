import { StorageBusy, StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Result from "effect/Result"
import { isOfSqlite } from "../connection/errors.ts"
import { type CallMarker, writing } from "./CallMarker.ts"
import { ended, halfError, hostError, lostError, unknownError, unresponsiveError } from "./hostErrors.ts"
import type { LibraryConnection, LibraryStatement } from "./LibraryConnection.ts"
import type { WriteSet } from "./WriteSet.ts"
import { gracePeriod } from "./waitForResult.ts"

/** Has a column for the writes to each table, so that SQLite prepares the triggers of those tables alone. */
const applyWrites = (writes: ReturnType<WriteSet["toJson"]>, token: string): LibraryStatement => ({
  sql: `UPDATE ${writing.table} SET applied = 1, ${writes
    .map(([table]) => `${table.replace("petstore_", "")} = ?`)
    .join(", ")} WHERE token = ? RETURNING token`,
  values: [...writes.map(([, json]) => json), token],
  columns: ["token"]
})

const findMarker = (token: string): LibraryStatement => ({
  sql: `SELECT token FROM ${writing.table} WHERE token = ?`,
  values: [token]
})

/** Ends a call in a transaction of another library: applies what it has written, and removes its marker. */
export class CallCompletion {
  private readonly connection: LibraryConnection
  private readonly marker: CallMarker
  private readonly writes: WriteSet

  constructor(connection: LibraryConnection, marker: CallMarker, writes: WriteSet) {
    this.connection = connection
    this.marker = marker
    this.writes = writes
  }

  /** Ends a call whose command ended with this exit. */
  finish<A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | StorageError> {
    if (this.marker.isGone) return exit
    return Exit.isSuccess(exit) && !this.writes.isEmpty ? Effect.as(this.apply, exit.value) : this.withdraw(exit)
  }

  /** COMMIT fails until the marker is removed, so the call has taken effect if its marker was still there. */
  private readonly apply: Effect.Effect<void, StorageError> = Effect.suspend(() =>
    Effect.matchEffect(this.connection.rows(applyWrites(this.writes.toJson(), this.marker.token), { isLast: true }), {
      onSuccess: ({ length }) => (length === 1 ? this.confirm : Exit.die(new TypeError(ended))),
      onFailure: (failed): Effect.Effect<never, StorageError> =>
        failed._tag === "StatementFailed" ? this.notApplied(failed.cause) : this.unknown(undefined)
    })
  )

  private readonly confirm: Effect.Effect<void, StorageError> = Effect.suspend(() =>
    Effect.matchEffect(this.marker.removeWriting(true), {
      onSuccess: (existed) => (existed ? Exit.void : this.rolledBack),
      onFailure: (failed) => this.unknown(failed._tag === "StatementFailed" ? failed.cause : undefined)
    })
  )

  /** The application has rolled back to a savepoint within the call, if not all: its row is then as it was before it wrote. */
  private readonly rolledBack: Effect.Effect<never> = Effect.suspend(() =>
    Effect.andThen(Effect.exit(this.marker.removeWriting(false)), Exit.die(new TypeError(ended)))
  )

  private unknown(cause: unknown): Exit.Exit<never, StorageError> {
    this.withdrawLate()
    const description =
      cause === undefined ? this.connection.describe() : "its library failed while the call was written"
    return Exit.fail(unknownError(description, cause))
  }

  /** Finds out what a failed write means. SQLite rolls a failed statement back, unless a trigger uses RAISE(FAIL). */
  private notApplied(cause: unknown): Effect.Effect<never, StorageError> {
    return Effect.gen({ self: this }, function* () {
      if (yield* Effect.orElseSucceed(this.marker.removeWriting(false), () => false)) {
        return yield* Exit.fail(hostError(cause))
      }
      const left = yield* Effect.orElseSucceed(
        this.connection.rows(findMarker(this.marker.token), { isLast: true }),
        () => []
      )
      if (isOfSqlite(cause)) return yield* Exit.fail(left.length === 1 ? halfError(cause) : hostError(cause, true))
      if (left.length === 1 || this.connection.isPending) return yield* this.unknown(cause)
      // Libraries reject statements for a transaction that has ended.
      return yield* Exit.die(new TypeError(ended, { cause }))
    })
  }

  /** Removes the markers of the call. If they do not exist, the transaction has ended while the call ran. */
  private withdraw<A, E>(exit: Exit.Exit<A, E>): Effect.Effect<A, E | StorageError> {
    return Effect.gen({ self: this }, function* () {
      const isHurried = this.connection.isPending || (Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
      if (yield* this.marker.removeAll(isHurried ? gracePeriod : undefined)) return yield* exit
      if (this.connection.isPending) {
        this.withdrawLate()
        return yield* Exit.isSuccess(exit) ? Exit.fail(unresponsiveError(this.connection.describe())) : exit
      }
      return yield* this.marker.isPlaced ? endedExit(exit) : exit
    })
  }

  /** Leaves nothing behind if the library still runs the statements. */
  private withdrawLate(): void {
    this.connection.whenSettled(this.marker.removeAll())
  }
}

/** The exit of a call whose transaction has ended before it: nothing of the call has happened. */
const endedExit = <A, E>(exit: Exit.Exit<A, E>): Exit.Exit<A, E | StorageError> => {
  if (Exit.isSuccess(exit)) return Exit.die(new TypeError(ended))
  const error = Cause.findError(exit.cause)
  if (Result.isFailure(error)) return exit
  const { success: cause } = error
  if (cause instanceof StorageFull) return Exit.fail(lostError(cause))
  return cause instanceof StorageBusy ? exit : Exit.die(new TypeError(ended, { cause }))
}
