import { randomUUID } from "node:crypto"
import { StorageFull } from "@petstore/core/domain"
import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { StoredRow as Row } from "../../sql/Statement.ts"
import { connectionIdentity, identify, identityColumns } from "../connection/connectionIdentity.ts"
import { isForeignKeyViolation, isOfSqlite, isReadOnly } from "../connection/errors.ts"
import { ended, hostError, lostError, notOpen, unresponsiveError, unusable } from "./hostErrors.ts"
import type { LibraryConnection, LibraryStatement } from "./LibraryConnection.ts"
import type { LibraryError, WaitOptions } from "./waitForResult.ts"

/** The table of a marker row. */
interface Marker {
  readonly table: string
  /** Creates the table, if it is not part of the schema. */
  readonly create?: string
}

/** Marks a call that may write. */
export const writing: Marker = { table: "petstore_host_calls" }

/** Marks a call that has only read so far. It takes no lock in the file, so its row is in a table of the connection alone. */
export const reading: Marker = {
  table: "temp.petstore_host_reads",
  create: `CREATE TEMP TABLE IF NOT EXISTS petstore_host_reads (
  token TEXT NOT NULL PRIMARY KEY CHECK (token <> ''),
  until TEXT NOT NULL DEFAULT '' CHECK (until = '') REFERENCES petstore_host_reads (token) DEFERRABLE INITIALLY DEFERRED
) STRICT, WITHOUT ROWID`
}

// Outside of a transaction it fails: the reference that is never fulfilled is then checked at once.
const insertMarker = (
  { table }: Marker,
  token: string,
  after: Marker | undefined,
  columns: string
): LibraryStatement => ({
  sql: `INSERT INTO ${table} (token) SELECT ? FROM pragma_foreign_keys WHERE foreign_keys = 1${
    after === undefined ? "" : ` AND EXISTS (SELECT 1 FROM ${after.table} WHERE token = ?)`
  } RETURNING token${columns}`,
  values: after === undefined ? [token] : [token, token],
  columns: ["token", ...(columns === "" ? [] : identityColumns)]
})

// The row stays if a trigger of the host application left its writes half done, so that COMMIT fails.
const deleteMarker = (marker: Marker, token: string, applied: number): LibraryStatement => ({
  sql: `DELETE FROM ${marker.table} WHERE token = ?${marker === writing ? ` AND applied = ${applied}` : ""} RETURNING token`,
  values: [token],
  columns: ["token"]
})

export interface CallMarkerSettings {
  readonly connection: LibraryConnection
  /** What identifies the transaction. */
  readonly identity: object
  /** The transactions that are known to belong to this database. */
  readonly known: WeakSet<object>
  /** What is wrong with the connection, if anything is. */
  readonly problemOf: (row: Row | undefined) => string | undefined
}

/**
 * The marker row of one call in a transaction of another library. While the row exists, the transaction is the one in which
 * the call began, and cannot be committed.
 */
export class CallMarker {
  readonly token = randomUUID()
  private readonly settings: CallMarkerSettings
  /** The marker that is known to exist. */
  private current: Marker | undefined
  /** The markers that may exist. */
  private readonly possible = new Set<Marker>()

  constructor(settings: CallMarkerSettings) {
    this.settings = settings
  }

  /** Whether a marker was ever placed. */
  get isPlaced(): boolean {
    return this.current !== undefined
  }

  /** Whether there is nothing to remove. */
  get isGone(): boolean {
    return this.possible.size === 0
  }

  /** Whether the call has this marker, or one that allows more. */
  covers(marker: Marker): boolean {
    return this.current === marker || this.current === writing
  }

  /** Inserts a marker row if the one before still exists. */
  place(marker: Marker): Effect.Effect<void, StorageError> {
    const { connection, identity, known, problemOf } = this.settings
    return Effect.gen({ self: this }, function* () {
      const after = this.current !== undefined && this.possible.has(this.current) ? this.current : undefined
      const isKnown = known.has(identity)
      if (marker.create !== undefined) yield* connection.run(marker.create)
      this.possible.add(marker)
      const statement = insertMarker(marker, this.token, after, isKnown ? "" : `, ${connectionIdentity}`)
      const [row] = yield* connection.rows(statement)
      if (row === undefined) {
        this.possible.delete(marker)
        return yield* this.explain(marker, undefined)
      }
      const problem = isKnown ? undefined : problemOf(row)
      if (problem !== undefined) return yield* Effect.die(new TypeError(problem))
      known.add(identity)
      this.current = marker
    }).pipe(
      Effect.catchTag("StatementTimedOut", () => this.timedOut),
      Effect.catchTag("StatementFailed", ({ cause }) => {
        // After another error it is unknown whether the row was added before it.
        if (isOfSqlite(cause)) this.possible.delete(marker)
        return isForeignKeyViolation(cause) ? Exit.die(new TypeError(notOpen, { cause })) : this.explain(marker, cause)
      })
    )
  }

  /** Removes the marker of a call that now has another. */
  readonly removeReading: Effect.Effect<void, LibraryError> = Effect.suspend(() =>
    this.possible.has(reading)
      ? Effect.map(this.settings.connection.rows(deleteMarker(reading, this.token, 0)), () => {
          this.possible.delete(reading)
        })
      : Effect.void
  )

  /** Removes the row of a call whose writes were applied or not; returns whether it existed. */
  removeWriting(isApplied: boolean): Effect.Effect<boolean, LibraryError> {
    return this.remove(writing, isApplied ? 1 : 0)
  }

  /** Removes every marker that may exist; returns whether each of them existed. */
  removeAll(timeout?: number): Effect.Effect<boolean> {
    const options = timeout === undefined ? {} : { timeout }
    return Effect.map(
      Effect.forEach([...this.possible], (marker) => Effect.exit(this.remove(marker, 0, options))),
      (removed) => removed.every((exit) => Exit.isSuccess(exit) && exit.value)
    )
  }

  private remove(
    marker: Marker,
    applied: number,
    options?: Partial<WaitOptions>
  ): Effect.Effect<boolean, LibraryError> {
    return Effect.map(
      this.settings.connection.rows(deleteMarker(marker, this.token, applied), { ...options, isLast: true }),
      ({ length }) => length === 1
    )
  }

  /** Finds out why the call has no row, by a statement that changes nothing wherever it runs. */
  private explain(marker: Marker, cause: unknown): Effect.Effect<void, StorageError> {
    return this.settings.connection.rows({ sql: identify }).pipe(
      Effect.catchTag("StatementTimedOut", () => this.timedOut),
      Effect.matchEffect({
        onFailure: (failed) =>
          failed._tag === "StatementFailed" ? Exit.die(new TypeError(unusable(failed.cause))) : Exit.fail(failed),
        onSuccess: ([row]): Exit.Exit<void, StorageError> => {
          const problem = this.settings.problemOf(row)
          if (problem !== undefined) return Exit.die(new TypeError(problem))
          if (cause === undefined) return Exit.die(new TypeError(ended))
          const error = hostError(cause)
          if (error instanceof StorageFull) return Exit.fail(lostError(error))
          // A connection that cannot write has no table of its own, and nothing that could be left behind.
          if (marker !== reading || !isReadOnly(cause)) return Exit.fail(error)
          this.current = marker
          return Exit.void
        }
      })
    )
  }

  private readonly timedOut = Effect.suspend(() => Exit.fail(unresponsiveError(this.settings.connection.describe())))
}
