import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Command } from "../engine/Command.ts"
import { query } from "../engine/Table.ts"
import type { Transaction } from "../engine/Transaction.ts"
import type { RunCommand, Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { recordedEvents } from "../tables/index.ts"
import { OpenCommands } from "./OpenCommands.ts"
import { wholeQuery, wholeTable } from "./Recording.ts"

type Port = Storage["Service"]

const joined = <A, E>(use: (run: RunCommand) => Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.withFiber(({ context }) => {
    const run = Context.get(context, OpenCommands)
    return run === undefined ? Effect.die(new Error("There is no open transaction")) : use(run)
  })

const read = <A>(command: (tx: Transaction) => Command<A>): Effect.Effect<A, StorageError> =>
  joined((run) => run(command))

const shown = <Row>({ viewOf }: { readonly viewOf?: (row: never) => Row }, row: object): Row =>
  viewOf === undefined ? (row as Row) : viewOf(row as never)

/** The same store, as the calls of a transaction see and change it: everything is a command of the transaction of its fiber. */
export const joinedStore = ({ findCached: _, join: __, ...store }: Port): Port => ({
  ...store,
  run: (begin, command) => joined((run) => run(begin, command)),
  // What it reads belongs to the transaction.
  snapshot: (body) => body,
  find: (table, key) =>
    read(function* (tx) {
      const row = yield* tx.find(wholeTable(table.name), key)
      return row === undefined ? undefined : shown(table, row)
    }),
  findAll: (table, keys) =>
    read(function* (tx) {
      return (yield* tx.findAll(wholeTable(table.name), keys)).map((row) => shown(table, row))
    }),
  select: (selected, argument, limit) =>
    read(function* (tx) {
      const rows = yield* tx.all(wholeQuery(selected as never), argument as never, limit)
      return rows.map((row) => shown(selected.table, row))
    }),
  count: (counted, argument, most) =>
    read(function* (tx) {
      return yield* tx.count(wholeQuery(counted as never), argument as never, most)
    }),
  scan: (table, after, limit) =>
    read(function* (tx) {
      const byKey = query(wholeTable(table.name), "byKey", (position: typeof after) => [
        position.length === 0 ? {} : { after: position }
      ])
      return (yield* tx.all(byKey, after, limit)).map((row) => shown(table, row))
    }),
  events: {
    latest: read(function* (tx) {
      return yield* tx.last(recordedEvents)
    }),
    scan: (after, limit) =>
      read(function* (tx) {
        return yield* tx.scan(recordedEvents, after, limit)
      }),
    // Events never change.
    find: store.events.find
  }
})
