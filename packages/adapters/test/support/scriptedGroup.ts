import { Failed, type Transaction, type Yielded } from "@petstore/core/kernel"
import * as tables from "@petstore/core/tables"
import { anOrderRecord } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ContendedRows } from "../../src/postgres/commit/group/ContendedRows.ts"
import { Group, type Verdict } from "../../src/postgres/commit/group/Group.ts"
import { GroupStatements } from "../../src/postgres/commit/group/GroupStatements.ts"
import { GuessedWrites } from "../../src/postgres/commit/group/GuessedWrites.ts"
import { type Begin, type HeldRows, idBlocks } from "../../src/postgres/commit/group/HeldRows.ts"
import { KnownRows } from "../../src/postgres/commit/group/KnownRows.ts"
import { appendEvents } from "../../src/postgres/events/appendEvents.ts"
import { orderRow, petRow, type Scripted, ScriptedConnection } from "./scriptedConnection.ts"

/** The rows that there are. */
export const known: ReadonlyArray<Scripted> = [
  { when: /^WITH guess/, rows: [{ guessed: true, numbered: true }] },
  { when: /try_advisory/, rows: [{ name: '["petstore","idempotency",1,"k"]', locked: true }] },
  { when: /^SELECT id, state/, rows: [orderRow(7, 2)] },
  { when: /FROM "petstore".petstore_pets/, rows: [petRow(1), petRow(2)] },
  { when: /nextval/, rows: Array.from({ length: 8 }, (_, index) => ({ id: 101 + index })) },
  { when: /petstore_log_end/, rows: [{ numbered: true }] }
]

/** What the groups of one store share. */
export const settings = (contended = new ContendedRows()) => ({
  statements: new GroupStatements("petstore"),
  ids: idBlocks(),
  contended,
  appendEvents: appendEvents("petstore"),
  begin: "BEGIN",
  guessing: { known: new KnownRows(), writes: new GuessedWrites("petstore") }
})

/** Runs commands in a group on a connection that replies by a script. */
export const runGroup = async (
  commands: ReadonlyArray<Begin>,
  {
    script = [],
    shared = settings(),
    waits = true,
    doubt,
    ...more
  }: {
    readonly script?: ReadonlyArray<Scripted>
    readonly shared?: ReturnType<typeof settings>
    readonly waits?: boolean
    readonly doubt?: HeldRows | undefined
    /** When its connection has had a result. Default: never. */
    readonly lastResult?: number
  } = {}
) => {
  const connection = Object.assign(new ScriptedConnection([...script, ...known]), more)
  const group = new Group(shared, connection, commands, waits, doubt)
  return { connection, group, verdicts: await group.run() }
}

/** What a command has returned; otherwise its verdict. */
export const value = (verdict: Verdict | undefined): unknown =>
  verdict?.type === "result" && Exit.isSuccess(verdict.exit) ? verdict.exit.value : verdict

/** What a command has failed with; otherwise its verdict. */
export const error = (verdict: Verdict | undefined): unknown =>
  verdict?.type === "result" ? Effect.runSync(Effect.flip(verdict.exit as Exit.Exit<never, unknown>)) : verdict

export const types = (verdicts: ReadonlyArray<Verdict>) => verdicts.map(({ type }) => type)

export type Command<A = unknown> = (tx: Transaction) => Generator<Yielded, A, unknown>

/** Reserves a unit of a pet, and returns how many are reserved then. */
export const reserve = (id: number): Command<number> =>
  function* (tx) {
    const pet = yield* tx.lock(tables.pets, id)
    if (pet === undefined) return yield* new Failed("no such pet")
    const stock = { ...pet.stock, reserved: pet.stock.reserved + 1 }
    if (stock.reserved > stock.onHand) return yield* new Failed("sold out")
    tx.save(tables.pets, { ...pet, stock })
    return stock.reserved
  }

/** Adds a draft, and returns its id. */
export const draft: Command<number> = function* (tx) {
  return (yield* tx.insert(tables.orders, (id) => anOrderRecord({ id, order: { state: "draft" } }))).id
}

export const refusal: Command<never> = function* () {
  return yield* new Failed("no")
}

/** One command after another, as one. Returns what the last one does. */
export const both = <A>(first: Command, second: Command<A>): Command<A> =>
  function* (tx) {
    yield* first(tx)
    return yield* second(tx)
  }
