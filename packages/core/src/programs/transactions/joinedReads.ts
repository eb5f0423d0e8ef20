import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Command } from "../../kernel/Command.ts"
import type { Reads, Transaction } from "../../kernel/Transaction.ts"
import type { EventRows } from "../../ports/EventRows.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { recordedEvents } from "../../tables/index.ts"
import { OpenCommands } from "./OpenCommands.ts"
import { wholeQuery, wholeTable } from "./Recording.ts"

const shown = <Row>({ viewOf }: { readonly viewOf?: (row: never) => Row }, row: object): Row =>
  viewOf === undefined ? (row as Row) : viewOf(row as never)

/** What queries read in a transaction: whole rows, which it has perhaps written, as the tables of the queries show them. */
export const joinedReads = (tx: Transaction): Reads => {
  const reads: Reads = {
    together: () => tx.together(),
    *find(table, key) {
      const row = yield* tx.find(wholeTable(table.name), key)
      return row === undefined ? undefined : shown(table, row)
    },
    *findAll(table, keys) {
      return (yield* tx.findAll(wholeTable(table.name), keys)).map((row) => shown(table, row))
    },
    *first(query, argument) {
      return (yield* reads.all(query, argument, 1))[0]
    },
    *all(query, argument, limit) {
      const rows = yield* tx.all(wholeQuery(query as never), argument as never, limit)
      return rows.map((row) => shown(query.table, row))
    },
    *count(query, argument, most) {
      return yield* tx.count(wholeQuery(query as never), argument as never, most)
    }
  }
  return reads
}

const read = <A>(command: (tx: Transaction) => Command<A>): Effect.Effect<A, StorageError> =>
  Effect.withFiber(({ context }) => {
    const runCommand = Context.get(context, OpenCommands)
    return runCommand === undefined ? Effect.die(new Error("There is no open transaction")) : runCommand(command)
  })

/** The event log as the calls of a transaction read it. */
export const joinedEvents = ({ find }: EventRows): EventRows => ({
  latest: read(function* (tx) {
    return yield* tx.last(recordedEvents)
  }),
  scan: (after, limit) =>
    read(function* (tx) {
      return yield* tx.scan(recordedEvents, after, limit)
    }),
  // Events never change.
  find
})
