import type { FailureOf, Write, Yielded } from "@petstore/core/kernel"
import { asking, type BeginCommand, OnTransactionStart, type StorageError } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { CommandStatements } from "../../sql/CommandStatements.ts"
import { OpenSnapshots } from "../../sql/OpenSnapshots.ts"
import {
  type AnyRequest,
  Asked,
  Claimed,
  Filled,
  NewIds,
  type Program,
  runAsync,
  runProgram,
  type Statement as SharedStatement,
  type Use
} from "../../sql/Program.ts"
import type { Sql } from "../../sql/Sql.ts"
import type { Value } from "../../sql/Value.ts"
import { claimOf } from "../commit/claimName.ts"
import { GroupStatements } from "../commit/group/GroupStatements.ts"
import type { Parameter, Result } from "../connection/PostgresConnection.ts"
import { openEvents } from "../events/openEvents.ts"
import { changesOf } from "./changes.ts"
import { columnTypes, translated } from "./dialect.ts"
import { mergeRanges } from "./mergeRanges.ts"
import type { Snapshot } from "./Snapshot.ts"
import type { PostgresTransaction, Statement, StatementRunner } from "./Statement.ts"

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

/** Runs each read of a store where its fiber is, in the snapshot or on its own, and programs and commands in transactions. */
export class PostgresSql implements Sql {
  readonly snapshots = new OpenSnapshots<Snapshot>()
  private readonly rows: CommandStatements
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
    this.rows = new CommandStatements(mergeRanges, openEvents, onWrite)
  }

  /** Where a statement of this fiber that reads runs. */
  runner(context: Context.Context<never>): StatementRunner {
    return this.snapshots.find(context) ?? this.pool
  }

  /** Prepares a statement that only PostgreSQL has. */
  statement<A>(sql: string, use: Use, decode: Statement<A>["decode"]): Statement<A> {
    return { sql, text: translated(this.schema, sql), use, decode }
  }

  readonly read: Sql["read"] = (program) =>
    asking(({ services }) => runProgram(program(), this.outside(this.runner(services))))

  /** Runs a command in a transaction. What it changes is written when it ends, so one that fails leaves nothing to roll back. */
  async runCommand<Y extends Yielded, A>(
    transaction: PostgresTransaction,
    context: Context.Context<never>,
    begin: BeginCommand<Y, A>
  ): Promise<Exit.Exit<A, FailureOf<Y> | StorageError>> {
    try {
      Context.get(context, OnTransactionStart)()
      return await this.run(transaction, this.rows.run(context, begin))
    } catch (defect) {
      return Exit.die(defect)
    }
  }

  run<A, E>(transaction: PostgresTransaction, program: Program<A, E>): Promise<Exit.Exit<A, E | StorageError>> {
    const { division } = transaction
    return runAsync(program, (request) => {
      if (request instanceof Asked) {
        return transaction.execute(this.translated(request.statement), bind(request.values))
      }
      if (request instanceof Claimed) return transaction.claim(claimOf(this.schema, request.name, request.values))
      if (request instanceof NewIds) {
        const { decode, text, values } = this.writes.of(request.table.name).newIds(request.count)
        return transaction.execute({ sql: "", text, use: "lock", decode }, values)
      }
      if (request instanceof Filled) return this.fill(transaction, request)
      return transaction.write(changesOf(this.schema, this.writes, request.writes, division))
    })
  }

  // In one statement, which takes an array for each column.
  private fill(transaction: PostgresTransaction, { rows, target: { columns, table } }: Filled) {
    const names = columns.map(({ name }) => name).join(", ")
    const arrays = columns.map(({ type }) => `?::${columnTypes[type]}[]`).join(", ")
    const text = `INSERT INTO ${table} (${names}) SELECT * FROM unnest(${arrays})`
    return transaction.execute(
      this.statement(text, "write", () => undefined),
      columns.map((_, column) => rows.map((row) => row[column] ?? null))
    )
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
