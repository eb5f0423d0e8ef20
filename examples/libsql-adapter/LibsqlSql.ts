import type { Client, Transaction as ClientTransaction, InStatement, InValue, ResultSet } from "@libsql/client"
import * as Sql from "@petstore/adapters/sql"
import * as Toolkit from "@petstore/core/adapter-toolkit"
import { ShuttingDown } from "@petstore/core/domain"
import type * as Ports from "@petstore/core/ports"
import { Effect, Exit } from "effect"
import { attempt } from "./errors.ts"

/** The positions of lists may be below or above every id, which SQLite has no value for. */
const largest = 2 ** 53

const inputOf = (value: Sql.Value): InValue =>
  typeof value === "number" ? Math.max(-largest, Math.min(largest, value)) : (value ?? null)

/** Blobs come as ArrayBuffer. */
const rowOf = (row: ResultSet["rows"][number]): Sql.StoredRow =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, value instanceof ArrayBuffer ? new Uint8Array(value) : value])
  )

/** Runs a statement on a connection of the client. */
export const execute = async <A>(
  on: { readonly execute: (statement: InStatement) => Promise<ResultSet> },
  { statement, values }: Sql.Asked<A>
): Promise<A> => {
  const { rows } = await on.execute({ sql: statement.sql, args: values.map(inputOf) })
  return statement.decode(rows.map(rowOf))
}

/** Runs each read where its fiber is: in the snapshot, else on what is committed. */
export class LibsqlSql implements Sql.Sql {
  readonly snapshots = new Sql.OpenSnapshots<ClientTransaction>()
  private readonly client: Client
  isClosed = false

  constructor(client: Client) {
    this.client = client
  }

  /** Fails if the store is closed. */
  readonly whileOpen = <A, E, R>(use: Effect.Effect<A, E, R>): Effect.Effect<A, E | ShuttingDown, R> =>
    Effect.suspend((): Effect.Effect<A, E | ShuttingDown, R> => (this.isClosed ? Exit.fail(new ShuttingDown({})) : use))

  readonly read: Sql.Sql["read"] = (program) =>
    Effect.withFiber(({ context }) => Sql.runProgram(program(), this.outside(this.snapshots.find(context))))

  /** What reads outside of transactions asks for nothing but statements. */
  private outside(snapshot: ClientTransaction | undefined) {
    return (request: Sql.AnyRequest): Effect.Effect<unknown, Ports.StorageError> => {
      if (!(request instanceof Sql.Asked)) return Effect.die(new Error("Writing needs a transaction"))
      if (snapshot?.closed === true) return Effect.die(Toolkit.afterEnd())
      const read = attempt(() => execute(snapshot ?? this.client, request))
      return snapshot === undefined ? this.whileOpen(read) : read
    }
  }
}
