import type * as Effect from "effect/Effect"
import { asking, Direct } from "../../ports/Direct.ts"
import type { Storage } from "../../ports/Storage.ts"
import { TransactionBody } from "../../programs/transactions/TransactionBody.ts"
import { misplaced, outsideOnly } from "./callsOfBodies.ts"

type Port = Storage["Service"]

/** The operations of a store may be those of a class. */
const altered = <A extends object>(whole: A, changes: Partial<A>): A =>
  Object.assign(Object.create(Object.getPrototypeOf(whole)), whole, changes)

/** The same store, which refuses what use cases do for the body of a transaction, other than by its argument. It is the owner of these bodies. */
export const guardedStore = (store: Port): Port => {
  const guard = <A, E>(call: () => Effect.Effect<A, E>): Effect.Effect<A, E> =>
    TransactionBody.isAnyRunning ? asking(() => (TransactionBody.isCalling(guarded) ? misplaced() : call())) : call()
  const { detachedSnapshot, events } = store
  const { ofSubject } = events
  const guardBody =
    (snapshot: Port["snapshot"]): Port["snapshot"] =>
    (body) =>
      body instanceof Direct
        ? asking(() => (TransactionBody.isCalling(guarded) ? misplaced() : snapshot(body)))
        : outsideOnly(guarded, snapshot(body))
  const guarded: Port = altered(store, {
    run: (begin, command) => guard(() => store.run(begin, command)),
    find: (table, key) => guard(() => store.find(table, key)),
    findAll: (table, keys) => guard(() => store.findAll(table, keys)),
    select: (selected, argument, limit) => guard(() => store.select(selected, argument, limit)),
    count: (counted, argument, most) => guard(() => store.count(counted, argument, most)),
    scan: (table, after, limit) => guard(() => store.scan(table, after, limit)),
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
