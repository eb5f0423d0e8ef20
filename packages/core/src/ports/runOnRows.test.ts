import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ShuttingDown } from "../domain/errors/ServiceErrors.ts"
import { columnsOf, type Log, query, table } from "../engine/Table.ts"
import type { Write } from "../engine/Transaction.ts"
import type { Rows } from "./Rows.ts"
import { runOnRows } from "./runOnRows.ts"
import { Transaction } from "./Transaction.ts"

interface Shelf {
  readonly id: number
  readonly room: string
}

const column = columnsOf<Shelf>()

const shelves = table<Shelf>("shelves", {
  key: ["id"],
  generatesIds: true,
  columns: { id: column.integer("id"), room: column.text("room") },
  indexes: { room: { equal: ["room"], order: ["id"] } }
})

const inRoom = query(shelves, "inRoom", (name: string) => [{ index: "room", equal: { room: name } }])

const events: Log<string> = { name: "events", rows: [] }

/** An answer that takes a step. */
const later = <A>(answer: unknown): Effect.Effect<A> => Effect.as(Effect.yieldNow, answer as A)

/** A store in which each call takes a step. */
const rowsThatWait = (written: Array<Write>): Rows => ({
  find: () => later(undefined),
  findAll: () => later([]),
  lock: (of, key) => later(key === 9 ? undefined : { id: key, room: of.name }),
  scan: () => later([]),
  select: () => later([]),
  count: () => later(2),
  claim: () => later([]),
  insert: (_, rowsOf) => later(rowsOf.map((rowOf) => rowOf(4))),
  write: (writes) => Effect.andThen(Effect.yieldNow, Effect.asVoid(Effect.sync(() => written.push(...writes)))),
  events: { latest: later(7), scan: () => later([]), find: () => later([]) }
})

const inTransaction = Effect.provideService(Transaction, { store: {} })

describe("given rows that a command has to wait for", () => {
  it.effect("then it goes on with each answer, and all that it has collected is written at its end, in order", () =>
    Effect.gen(function* () {
      const written: Array<Write> = []
      const result = yield* runOnRows(rowsThatWait(written), function* (tx) {
        const shelf = yield* tx.lock(shelves, 1)
        tx.append(events, ["locked"])
        const added = yield* tx.insert(shelves, (id) => ({ id, room: "attic" }))
        tx.save(shelves, { id: 1, room: "hall" })
        const none = [
          yield* tx.lock(shelves, 9),
          yield* tx.first(inRoom, "yard"),
          ...(yield* tx.claim(inRoom, "yard", 1)),
          ...(yield* tx.scan(events, 0, 1))
        ]
        return [shelf, added, none, yield* tx.count(inRoom, "", 1), yield* tx.last(events), written.length] as const
      })
      const shelf = { id: 1, room: "shelves" }
      assert.deepStrictEqual(result, [shelf, { id: 4, room: "attic" }, [undefined, undefined], 2, 7, 0])
      assert.deepStrictEqual(written, [
        { log: "events", rows: ["locked"] },
        { table: "shelves", key: 1, row: { id: 1, room: "hall" }, before: shelf }
      ])
    }).pipe(inTransaction)
  )

  it.effect("when one of them fails, then so does the command, and nothing is written", () =>
    Effect.gen(function* () {
      const written: Array<Write> = []
      const rows: Rows = { ...rowsThatWait(written), lock: () => Effect.fail(new ShuttingDown({})) }
      const exit = yield* Effect.exit(
        runOnRows(rows, function* (tx) {
          tx.append(events, ["begun"])
          yield* tx.lock(shelves, 1)
        })
      )
      assert.deepStrictEqual(exit, Exit.fail(new ShuttingDown({})))
      assert.deepStrictEqual(written, [])
    }).pipe(inTransaction)
  )
})
