import { Failed, type Write } from "@petstore/core/kernel"
import { goOn, type StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { RowTarget } from "./RowTarget.ts"
import type { AnyTable } from "./tableText.ts"
import type { Value } from "./Value.ts"

/** How a statement uses its rows. */
export type Use =
  | "read"
  /** No other transaction can change or lock them until this one ends. */
  | "lock"
  /** No other transaction can change them until this one ends. */
  | "lockShared"
  /** The same as `lock`, without those that another transaction has locked. */
  | "lockFree"
  | "write"

/** A row by the names of its columns, as a driver returns it: booleans may be 0 and 1. */
export type StoredRow = Readonly<Record<string, unknown>>

/**
 * A statement in the SQL that SQLite and PostgreSQL share, with `?` as placeholder; what only PostgreSQL takes stands in a comment
 * that begins with `+`, and what only SQLite takes is the name of an index after INDEXED BY.
 */
export interface Statement<A> {
  readonly sql: string
  readonly use: Use
  /** Whether it lists rows, so that a replica may serve it. */
  readonly isList: boolean
  readonly decode: (rows: ReadonlyArray<StoredRow>) => A
}

// The columns have the types of the schema, so a row has the types of its statement.

/** Returns the only or first row. */
export const first = <Of, A>(sql: string, decode: (row: Of) => A, use: Use = "read"): Statement<A | undefined> => ({
  sql,
  use,
  isList: false,
  decode: ([row]) => (row === undefined ? undefined : decode(row as Of))
})

/** Returns all rows. */
export const all = <Of, A>(sql: string, decode: (row: Of) => A, use: Use = "read"): Statement<ReadonlyArray<A>> => ({
  sql,
  use,
  isList: true,
  decode: (rows) => (rows as ReadonlyArray<Of>).map(decode)
})

/** Writes. */
export const execute = (sql: string): Statement<void> => ({ sql, use: "write", isList: false, decode: () => undefined })

/** A request of a program: `yield*` of it is its result. */
abstract class Request<A> {
  *[Symbol.iterator](): Generator<this, A, unknown> {
    return (yield this) as A
  }
}

/** Asks for the result of a statement. */
export class Asked<A> extends Request<A> {
  readonly statement: Statement<A>
  readonly values: ReadonlyArray<Value>

  constructor(statement: Statement<A>, values: ReadonlyArray<Value> = []) {
    super()
    this.statement = statement
    this.values = values
  }
}

/**
 * Reserves a name with these values until the transaction ends, whether or not a row has them. False if another transaction has
 * held it for 3 seconds. A database with one writer reserves every name.
 */
export class Claimed extends Request<boolean> {
  readonly name: string
  readonly values: ReadonlyArray<Value>

  constructor(name: string, values: ReadonlyArray<Value>) {
    super()
    this.name = name
    this.values = values
  }
}

/** Takes ids for new rows of a table, which ascend. */
export class NewIds extends Request<ReadonlyArray<number>> {
  readonly table: AnyTable
  readonly count: number

  constructor(table: AnyTable, count: number) {
    super()
    this.table = table
    this.count = count
  }
}

/** Makes changes of a transaction, in their order. */
export class Changed extends Request<void> {
  readonly writes: ReadonlyArray<Write>

  constructor(writes: ReadonlyArray<Write>) {
    super()
    this.writes = writes
  }
}

/** Adds whole rows to a table, of the records of another store. */
export class Filled extends Request<void> {
  readonly target: RowTarget
  readonly rows: ReadonlyArray<ReadonlyArray<Value>>

  constructor(target: RowTarget, rows: ReadonlyArray<ReadonlyArray<Value>>) {
    super()
    this.target = target
    this.rows = rows
  }
}

/** What a program may ask for. */
export type AnyRequest = Asked<unknown> | Claimed | NewIds | Changed | Filled

/**
 * What asks a database one thing after another, whether or not that has its answers at once. A database says how it carries out a
 * request; how to wait for that is all in which those with a synchronous driver differ from the others.
 */
export interface Program<A, E = StorageError> {
  [Symbol.iterator](): Iterator<AnyRequest | Failed<E>, A, unknown>
}

/** A program that is written as a generator. */
export type Asking<A, E = StorageError> = Generator<AnyRequest | Failed<E>, A, unknown>

/** Runs a program at once. Throws its failure as an exit, and what `answer` throws. */
export const runNow = <A>(program: Program<A>, answer: (request: AnyRequest) => unknown): A => {
  const steps = program[Symbol.iterator]()
  let step = steps.next()
  while (step.done !== true) {
    if (step.value instanceof Failed) throw Exit.fail(step.value.error)
    step = steps.next(answer(step.value))
  }
  return step.value
}

/** Runs a program whose requests return effects. Waits for none that returns its exit. */
export const runProgram = <A, E>(
  program: Program<A, E>,
  answer: (request: AnyRequest) => Effect.Effect<unknown, StorageError>
): Effect.Effect<A, E | StorageError> => {
  const steps = program[Symbol.iterator]()
  const advance = (result?: unknown): Effect.Effect<A, E | StorageError> => {
    let step = steps.next(result)
    while (step.done !== true) {
      if (step.value instanceof Failed) return Exit.fail(step.value.error)
      const answered = answer(step.value)
      if (!Exit.isExit(answered)) return goOn(answered, advance)
      if (Exit.isFailure(answered)) return answered as Exit.Exit<never, StorageError>
      step = steps.next(answered.value)
    }
    return Exit.succeed(step.value)
  }
  return advance()
}

/** Runs a program whose requests return promises. */
export const runAsync = async <A, E>(
  program: Program<A, E>,
  answer: (request: AnyRequest) => Promise<Exit.Exit<unknown, StorageError>>
): Promise<Exit.Exit<A, E | StorageError>> => {
  const steps = program[Symbol.iterator]()
  let step = steps.next()
  while (step.done !== true) {
    if (step.value instanceof Failed) return Exit.fail(step.value.error)
    const answered = await answer(step.value)
    if (Exit.isFailure(answered)) return Exit.failCause(answered.cause)
    step = steps.next(answered.value)
  }
  return Exit.succeed(step.value)
}
