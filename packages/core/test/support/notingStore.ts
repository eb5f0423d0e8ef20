import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Transaction } from "../../src/kernel/Transaction.ts"
import { memory } from "../../src/memory/MemoryStorage.ts"
import { Storage, type StorageAdapter } from "../../src/ports/Storage.ts"
import { decorated } from "../../testing/src/decorated.ts"

/** A transaction that notes what a command asks it for. */
const notingCalls = (tx: Transaction, calls: Array<string>): Transaction =>
  new Proxy(tx, {
    get: (target, name) => {
      const member: unknown = Reflect.get(target, name)
      if (typeof member !== "function") return member
      return (table: { readonly name: string }, ...rest: ReadonlyArray<unknown>): unknown => {
        calls.push(`${String(name)} ${table.name}`)
        return Reflect.apply(member, target, [table, ...rest])
      }
    }
  })

/** A store in memory that notes each statement, with the number of rows that it has returned. */
export const noting = (statements: Array<string>): StorageAdapter => {
  const noted =
    (name: string) =>
    <A, E, R>(statement: Effect.Effect<A, E, R>) =>
      Effect.tap(statement, (found) =>
        Effect.sync(() => statements.push(`${name}: ${[found ?? []].flat().length} rows`))
      )
  return decorated(memory(), (adapter) => ({
    ...adapter,
    layer: Layer.effect(
      Storage,
      Effect.map(Layer.build(adapter.layer), (services): Storage["Service"] => {
        const store = Context.get(services, Storage)
        return {
          ...store,
          find: (table, key) => noted(`find ${table.name}`)(store.find(table, key)),
          findAll: (table, keys) => noted(`findAll ${table.name}`)(store.findAll(table, keys)),
          run: (begin, command) => store.run((tx, context) => begin(notingCalls(tx, statements), context), command),
          select: (query, argument, limit) => noted(`select ${query.name}`)(store.select(query, argument, limit)),
          events: {
            ...store.events,
            scan: (after, limit) => noted("scan events")(store.events.scan(after, limit))
          }
        }
      })
    )
  }))
}
