import { memory } from "@petstore/core"
import { IdempotencyInProgress } from "@petstore/core/domain"
import { Storage, type StorageAdapter, type StorageError } from "@petstore/core/ports"
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

/** Without a fault at first. */
export const faultyStorage = (): FaultyStorage => {
  let present: Fault | undefined
  let keysInUse = false
  let firstEvent = 0
  const inner = memory()
  const orFault = <A, E, R>(work: () => Effect.Effect<A, E, R>): Effect.Effect<A, E | StorageError, R> =>
    Effect.suspend((): Effect.Effect<A, E | StorageError, R> => present ?? work())
  /** The same rows, whose every function may fail. */
  const rows = <Rows extends object>(whole: Rows): Rows =>
    new Proxy(whole, {
      get: (target, name) => {
        const member = Reflect.get(target, name)
        return typeof member === "function"
          ? (...args: ReadonlyArray<unknown>) => orFault(() => Reflect.apply(member, target, args))
          : member
      }
    })
  const faulty = Effect.map(Storage, (whole): Storage["Service"] => ({
    transact: (body) => orFault(() => whole.transact(body)),
    snapshot: (body) => orFault(() => whole.snapshot(body)),
    watch: (wake) => orFault(() => whole.watch(wake)),
    ready: orFault(() => whole.ready),
    inspect: orFault(() => whole.inspect),
    activity: whole.activity,
    backup: whole.backup,
    pets: rows(whole.pets),
    categories: rows(whole.categories),
    orders: rows(whole.orders),
    movements: rows(whole.movements),
    events: {
      ...rows(whole.events),
      append: (event) => orFault(() => whole.events.append(event)),
      appendAll: (events) => orFault(() => whole.events.appendAll(events)),
      latest: orFault(() => whole.events.latest),
      scan: (after, limit) => orFault(() => whole.events.scan(Math.max(after, firstEvent), limit))
    },
    messages: rows(whole.messages),
    accounts: rows(whole.accounts),
    apiKeys: rows(whole.apiKeys),
    imports: rows(whole.imports),
    checkpoints: rows(whole.checkpoints),
    consumers: rows(whole.consumers),
    parkedEvents: rows(whole.parkedEvents),
    webhooks: rows(whole.webhooks),
    deliveries: rows(whole.deliveries),
    idempotency: {
      lock: (accountId, key) =>
        Effect.suspend(() =>
          keysInUse ? Effect.fail(new IdempotencyInProgress({})) : whole.idempotency.lock(accountId, key)
        ),
      save: whole.idempotency.save,
      purge: whole.idempotency.purge,
      scan: whole.idempotency.scan
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
