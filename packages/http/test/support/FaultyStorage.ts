import { memory } from "@petstore/core"
import { IdempotencyInProgress } from "@petstore/core/domain"
import { fail, type Transaction } from "@petstore/core/kernel"
import { Storage, type StorageAdapter, type StorageError } from "@petstore/core/ports"
import { idempotencyKeys } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** What a store does instead of its work. */
export type Fault = Effect.Effect<never, StorageError>

/** A store in memory that can be made to fail at whatever it is asked. */
export interface FaultyStorage {
  readonly adapter: StorageAdapter
  /** From now on every call of the store does this; undefined for its work again. */
  readonly fail: (fault: Fault | undefined) => void
  /** From now on, another transaction holds every idempotency key, as it may if a store has several writers. */
  readonly useKeys: () => void
  /** From now on, the first events are no longer kept. */
  readonly forgetEvents: () => void
}

/** The same transaction, of which some methods are others. */
const withMethods = (tx: Transaction, others: Partial<Transaction>): Transaction =>
  new Proxy(tx, {
    get: (_, name) => {
      const value: unknown = Reflect.get(name in others ? others : tx, name)
      return typeof value === "function" ? value.bind(tx) : value
    }
  })

/** Without a fault at first. */
export const faultyStorage = (): FaultyStorage => {
  let present: Fault | undefined
  let keysInUse = false
  let firstEvent = 0
  const inner = memory()
  const orFault = <A, E, R>(work: () => Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend((): Effect.Effect<A, E | StorageError, R> => present ?? work())
  /** The same operations, each of which may fail. */
  const failing = <Operations extends object>(whole: Operations): Operations =>
    new Proxy(whole, {
      get: (target, name) => {
        const member = Reflect.get(target, name)
        return typeof member === "function"
          ? (...args: ReadonlyArray<unknown>) => orFault(() => Reflect.apply(member, target, args))
          : member
      }
    })
  const faulty = Effect.map(Storage, (whole): Storage["Service"] => ({
    ...failing(whole),
    ready: orFault(() => whole.ready),
    inspect: orFault(() => whole.inspect),
    run: (begin, command) =>
      orFault(() =>
        whole.run((tx, context) => {
          const lock: Transaction["lock"] = (table, key) =>
            keysInUse && table.name === idempotencyKeys.name
              ? (fail(new IdempotencyInProgress({})) as never)
              : tx.lock(table, key)
          const scan: Transaction["scan"] = (log, after, limit) => tx.scan(log, Math.max(after, firstEvent), limit)
          return begin(withMethods(tx, { lock, scan }), context)
        }, command)
      ),
    events: {
      ...failing(whole.events),
      latest: orFault(() => whole.events.latest),
      scan: (after, limit) => orFault(() => whole.events.scan(Math.max(after, firstEvent), limit))
    }
  }))
  return {
    adapter: { name: "faulty", layer: Layer.effect(Storage, faulty).pipe(Layer.provide(inner.layer)) },
    fail: (fault) => {
      present = fault
    },
    useKeys: () => {
      keysInUse = true
    },
    forgetEvents: () => {
      firstEvent = 3
    }
  }
}
