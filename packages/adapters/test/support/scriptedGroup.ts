import type { EventToAppend, FirstLock, Rows, Transaction } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ContendedRows } from "../../src/postgres/commit/group/ContendedRows.ts"
import { Group } from "../../src/postgres/commit/group/Group.ts"
import { GroupStatements } from "../../src/postgres/commit/group/GroupStatements.ts"
import { groupedRows } from "../../src/postgres/commit/group/groupedRows.ts"
import { IdBlock } from "../../src/postgres/commit/group/NewIds.ts"
import { taskOf, type Verdict } from "../../src/postgres/commit/group/Task.ts"
import { appendEvents } from "../../src/postgres/events/appendEvents.ts"
import { PostgresSql } from "../../src/postgres/statements/PostgresSql.ts"
import { rows } from "../../src/sql/rows.ts"
import { orderRow, petRow, type Scripted, ScriptedConnection } from "./scriptedConnection.ts"

/** The rows that there are. */
export const known: ReadonlyArray<Scripted> = [
  { when: /try_advisory/, rows: [{ name: '["petstore","idempotency key",1,"k"]', locked: true }] },
  { when: /^SELECT id, state/, rows: [orderRow(7, 2)] },
  { when: /FROM "petstore".petstore_pets/, rows: [petRow(1), petRow(2)] },
  { when: /nextval/, rows: Array.from({ length: 8 }, (_, index) => ({ id: 101 + index })) },
  { when: /petstore_log_end/, rows: [{ numbered: true }] }
]

const sql = new PostgresSql("petstore", { execute: () => Effect.die(new Error("no reads outside")) })

/** The store whose statements go through the group of the calling body. */
export const store: Rows = groupedRows({ ...rows(sql), events: { ...rows(sql).events, append } }, sql.transactions)

function append(event: EventToAppend) {
  return Effect.withFiber(({ context }: { readonly context: Context.Context<never> }) =>
    sql.transactions.require(context).append(event)
  )
}

/** What the groups of one store share. */
export const settings = (contended = new ContendedRows()) => ({
  transactions: sql.transactions,
  statements: new GroupStatements("petstore"),
  ids: { orders: new IdBlock(), pets: new IdBlock() },
  contended,
  appendEvents: appendEvents("petstore"),
  begin: "BEGIN"
})

/** Runs bodies in a group on a connection that replies by a script. */
export const runGroup = async (
  bodies: ReadonlyArray<Effect.Effect<unknown, unknown, Transaction>>,
  {
    contended,
    first,
    script = [],
    waits = true
  }: {
    readonly contended?: ContendedRows
    readonly first?: FirstLock
    readonly script?: ReadonlyArray<Scripted>
    readonly waits?: boolean
  } = {}
) => {
  const connection = new ScriptedConnection([...script, ...known])
  const tasks = bodies.map((body) => taskOf<unknown, unknown, Transaction>(Context.empty(), body, first))
  const group = new Group(settings(contended), connection, tasks, waits)
  return { connection, group, verdicts: await group.run() }
}

/** What a body has returned; otherwise its verdict. */
export const value = (verdict: Verdict | undefined): unknown =>
  verdict?.type === "result" && Exit.isSuccess(verdict.exit) ? verdict.exit.value : verdict

/** What a body has failed with; otherwise its verdict. */
export const error = (verdict: Verdict | undefined): unknown =>
  verdict?.type === "result" ? Effect.runSync(Effect.flip(verdict.exit as Exit.Exit<never, unknown>)) : verdict

/** Reserves a unit of a pet, and returns how many are reserved then. */
export const reserve = (id: number) =>
  Effect.gen(function* () {
    const pet = yield* store.pets.lock(id)
    if (pet === undefined) return yield* Effect.fail("no such pet")
    const stock = { ...pet.stock, reserved: pet.stock.reserved + 1 }
    if (stock.reserved > stock.onHand) return yield* Effect.fail("sold out")
    yield* store.pets.saveStock({ ...pet, stock })
    return stock.reserved
  })
