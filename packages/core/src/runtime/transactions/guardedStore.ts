import * as Effect from "effect/Effect"
import { asking, Direct } from "../../ports/Direct.ts"
import type { Storage } from "../../ports/Storage.ts"
import { notItsOwn, TransactionBody } from "../../programs/transactions/TransactionBody.ts"

/** Throws a TypeError for a call that the body of a running transaction makes on its own petstore. */
export const rejectCalls = (owner: object): void => {
  if (TransactionBody.isCalling(owner)) throw new TypeError(notItsOwn)
}

/** Dies, because the body of a transaction runs it. */
const misplaced = (): Effect.Effect<never> => Effect.die(new TypeError(notItsOwn))

/** The effect, unless the body of a running transaction runs it. */
export const outsideOnly = <A, E, R>(owner: object, effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  // Who runs it has what it requires.
  asking(() => (TransactionBody.isCalling(owner) ? misplaced() : (effect as Effect.Effect<A, E>)))

type Port = Storage["Service"]

/** The operations of a store may be those of a class. */
const altered = <A extends object>(whole: A, changes: Partial<A>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(whole)), whole, changes)

/** The same store, which refuses what use cases do for the body of a transaction, other than by its argument. It is the owner of these bodies. */
export const guardedStore = (store: Port): Port => {
  /** Looks at the caller of an operation. Of nearly all, nobody needs to: no body runs. */
  const guard = <A, E>(call: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    asking(() => (TransactionBody.isCalling(guarded) ? misplaced() : call()))
  const { detachedSnapshot, events } = store
  const { ofSubject } = events
  const guardBody =
    (snapshot: Port["snapshot"]): Port["snapshot"] =>
    (body) =>
      body instanceof Direct
        ? asking(() => (TransactionBody.isCalling(guarded) ? misplaced() : snapshot(body)))
        : outsideOnly(guarded, snapshot(body))
  const guarded: Port = altered(store, {
    run: (begin, command) =>
      TransactionBody.isAnyRunning ? guard(() => store.run(begin, command)) : store.run(begin, command),
    find: (table, key) => (TransactionBody.isAnyRunning ? guard(() => store.find(table, key)) : store.find(table, key)),
    findAll: (table, keys) =>
      TransactionBody.isAnyRunning ? guard(() => store.findAll(table, keys)) : store.findAll(table, keys),
    select: (selected, argument, limit) =>
      TransactionBody.isAnyRunning
        ? guard(() => store.select(selected, argument, limit))
        : store.select(selected, argument, limit),
    count: (counted, argument, most) =>
      TransactionBody.isAnyRunning
        ? guard(() => store.count(counted, argument, most))
        : store.count(counted, argument, most),
    scan: (table, after, limit) =>
      TransactionBody.isAnyRunning ? guard(() => store.scan(table, after, limit)) : store.scan(table, after, limit),
    snapshot: guardBody((body) => store.snapshot(body)),
    ...(detachedSnapshot === undefined ? {} : { detachedSnapshot: guardBody(detachedSnapshot) }),
    events: altered(events, {
      latest: asking(() => (TransactionBody.isCalling(guarded) ? misplaced() : events.latest)),
      scan: (after, limit) => guard(() => events.scan(after, limit)),
      ...(ofSubject === undefined ? {} : { ofSubject: (...place) => guard(() => ofSubject(...place)) }),
      find: (seq) => guard(() => events.find(seq))
    })
  })
  return guarded
}
