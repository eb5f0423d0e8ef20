import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Command } from "../engine/Command.ts"
import { query } from "../engine/Table.ts"
import type { Transaction } from "../engine/Transaction.ts"
import type { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type Recording, wholeQuery, wholeTable } from "./Recording.ts"

type Port = Storage["Service"]

/** The transaction that a call belongs to. */
export const OpenRecording: Context.Reference<Recording | undefined> = Context.Reference<Recording | undefined>(
  "@petstore/core/transactions/OpenRecording",
  { defaultValue: () => undefined }
)

const inRecording = <A, E>(
  use: (recording: Recording, context: Context.Context<never>) => Effect.Effect<A, E>
): Effect.Effect<A, E> =>
  Effect.withFiber(({ context }) => {
    const recording = Context.get(context, OpenRecording)
    return recording === undefined ? Effect.die(new Error("There is no open transaction")) : use(recording, context)
  })

const read = <A>(command: (tx: Transaction) => Command<A>): Effect.Effect<A, StorageError> =>
  inRecording((recording) => recording.run(command))

const shown = <Row>({ viewOf }: { readonly viewOf?: (row: never) => Row }, row: object): Row =>
  viewOf === undefined ? (row as Row) : viewOf(row as never)

/** The same store, as the calls of a transaction see and change it: each belongs to the recording of its fiber. */
export const recordedStore = ({ findCached: _, join: __, run: ___, ...store }: Port): Port => ({
  ...store,
  run: (begin) => inRecording((recording, context) => recording.run((tx) => begin(tx, context))),
  // What it reads is checked at its end.
  snapshot: (body) => body,
  transact: () => Effect.die(new TypeError("This call cannot run in a transaction")),
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
  scan: (table, after, limit) =>
    read(function* (tx) {
      const byKey = query(wholeTable(table.name), "byKey", () => [after.length === 0 ? {} : { after }])
      return (yield* tx.all(byKey, undefined, limit)).map((row) => shown(table, row))
    })
})
