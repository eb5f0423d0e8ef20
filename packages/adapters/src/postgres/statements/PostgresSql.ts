import { OpenTransactions } from "@petstore/core/adapter-toolkit"
import type { Write } from "@petstore/core/engine"
import type { StorageError, Transaction } from "@petstore/core/ports"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import { OpenRows } from "../../sql/OpenRows.ts"
import { OpenSnapshots } from "../../sql/OpenSnapshots.ts"
import { type AnyRequest, Asked, Claimed, NewIds, runProgram } from "../../sql/Program.ts"
import type { Sql, Value } from "../../sql/Sql.ts"
import type { Statement as SharedStatement, Use } from "../../sql/Statement.ts"
import { claimOf } from "../commit/claimName.ts"
import { GroupStatements } from "../commit/group/GroupStatements.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"
import { openEvents } from "../events/openEvents.ts"
import { changesOf } from "./changes.ts"
import { columnTypes, translated } from "./dialect.ts"
import { mergeRanges } from "./mergeRanges.ts"
import type { Snapshot } from "./Snapshot.ts"
import type { PostgresTransaction, SharedTransaction, Statement, StatementRunner } from "./Statement.ts"

/** The positions of lists may be below or above every id, which `bigint` has no value for. */
const largest = "9223372036854775807"

const toInput = (value: Value): Parameter => {
  if (value === undefined) return null
  if (typeof value !== "number" || Number.isSafeInteger(value)) return value
  if (Math.abs(value) < 2 ** 63) return Math.floor(value)
  return value > 0 ? largest : `-${largest}`
}

/** Converts values to those that PostgreSQL accepts. */
const bind = (values: ReadonlyArray<Value>): Array<Parameter> => values.map(toInput)

/** What follows a statement by its use. Rows that refer to a locked one may still be added: nothing that they refer to changes. */
const ends: Readonly<Record<Use, string>> = {
  read: "",
  lock: " FOR NO KEY UPDATE",
  lockShared: " FOR SHARE",
  lockFree: " FOR NO KEY UPDATE SKIP LOCKED",
  write: ""
}

/** Runs each program of a store where its fiber is: in the open transaction, else in the snapshot, else on its own. */
export class PostgresSql implements Sql {
  readonly transactions = new OpenTransactions<PostgresTransaction>()
  readonly snapshots = new OpenSnapshots<Snapshot>()
  /** The rows of open transactions. */
  readonly openRows: OpenRows
  private readonly schema: string
  private readonly pool: StatementRunner
  private readonly writes: GroupStatements
  private readonly texts = {
    read: new Map(),
    lock: new Map(),
    lockShared: new Map(),
    lockFree: new Map(),
    write: new Map()
  } satisfies Record<Use, Map<string, string>>

  /** `onWrite`: called before a transaction makes changes. */
  constructor(schema: string, pool: StatementRunner, onWrite?: (writes: ReadonlyArray<Write>) => void) {
    this.schema = schema
    this.pool = pool
    this.writes = new GroupStatements(schema)
    this.openRows = new OpenRows(mergeRanges, openEvents, onWrite)
  }

  /** Where a statement of this fiber that reads runs. */
  runner(context: Context.Context<never>): StatementRunner {
    return this.transactions.find(context) ?? this.snapshots.find(context) ?? this.pool
  }

  /** Prepares a statement that only PostgreSQL has. */
  statement<A>(sql: string, use: Use, decode: Statement<A>["decode"]): Statement<A> {
    return { sql, text: translated(this.schema, sql), use, decode }
  }

  readonly read: Sql["read"] = (program) =>
    Effect.withFiber(({ context }) => {
      const transaction = this.transactions.find(context)
      if (transaction !== undefined) return transaction.run(program(true))
      return runProgram(program(false), this.outside(this.snapshots.find(context) ?? this.pool))
    })

  readonly inTransaction: Sql["inTransaction"] = (program) =>
    Effect.withFiber(({ context }) => this.transactions.require(context).run(program()))

  // In one statement, which takes an array for each column.
  readonly insertAll: Sql["insertAll"] = ({ columns, table }) => {
    const names = columns.map(({ name }) => name).join(", ")
    const arrays = columns.map(({ type }) => `?::${columnTypes[type]}[]`).join(", ")
    const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`
    const statement = this.statement(text, "write", () => undefined)
    return (rows) =>
      Effect.withFiber<undefined, StorageError, Transaction>(({ context }) =>
        this.transactions.require(context).execute(
          statement,
          columns.map((_, column) => rows.map((row) => row[column] ?? null))
        )
      )
  }

  /** Carries out the requests of programs in an open transaction. */
  within(transaction: SharedTransaction): (request: AnyRequest) => Promise<Exit.Exit<unknown, StorageError>> {
    const { division } = transaction
    return (request) => {
      if (request instanceof Asked) {
        return transaction.execute(this.translated(request.statement), bind(request.values))
      }
      if (request instanceof Claimed) return transaction.claim(claimOf(this.schema, request.name, request.values))
      if (request instanceof NewIds) {
        const { decode, text, values } = this.writes.of(request.table.name).newIds(request.count)
        return transaction.execute({ sql: "", text, use: "lock", decode }, values)
      }
      return transaction.write(changesOf(this.schema, this.writes, request.writes, division))
    }
  }

  /** What reads outside of transactions is asked for nothing but statements. */
  private outside(runner: StatementRunner): (request: AnyRequest) => Effect.Effect<unknown, StorageError> {
    return (request) =>
      request instanceof Asked
        ? runner.execute(this.translated(request.statement), bind(request.values))
        : Effect.die(new Error("Writing needs a transaction"))
  }

  private translated<A>({ decode, isList, sql, use }: SharedStatement<A>): Statement<A> {
    const texts: Map<string, string> = this.texts[use]
    let text = texts.get(sql)
    if (text === undefined) {
      text = `${translated(this.schema, sql)}${ends[use]}`
      texts.set(sql, text)
    }
    return { sql, text, use, isList, decode: ({ rows }: Result) => decode(rows) }
  }
}
