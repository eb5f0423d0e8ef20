import type { Rows } from "./Rows.ts"

/** The rows of a group whose calls are made at once, by the group of the store. */
const immediate = new WeakMap<object, object>()

/**
 * Gives a synchronous store a second set of rows, for {@link immediateRows}. Their calls in the body that runs now take effect when
 * they are made, and return their exit; all other calls return an effect, like those of `rows`.
 */
export const withImmediateRows = (rows: Rows, atOnce: Rows): Rows => {
  for (const [name, group] of Object.entries(rows)) immediate.set(group, atOnce[name as keyof Rows])
  return rows
}

/**
 * The rows of a store for bodies that make their calls in the order in which they run, each of them once: a call that has its result
 * costs no step of a fiber. Where a store waits for its calls, or a decorator has replaced the rows of a kind, these are the
 * ordinary ones. Use them within the body of a transaction only, and make no call before its turn: `Effect.flatMapEager`
 * makes the next call in the same step if there is a result, and in a later one if there is none.
 */
export const immediateRows = (store: Rows): Rows => {
  const found = <Name extends keyof Rows>(name: Name): Rows[Name] =>
    (immediate.get(store[name]) as Rows[Name] | undefined) ?? store[name]
  return {
    pets: found("pets"),
    categories: found("categories"),
    orders: found("orders"),
    movements: found("movements"),
    events: found("events"),
    checkpoints: found("checkpoints"),
    messages: found("messages"),
    accounts: found("accounts"),
    apiKeys: found("apiKeys"),
    idempotency: found("idempotency"),
    imports: found("imports"),
    consumers: found("consumers"),
    parkedEvents: found("parkedEvents"),
    webhooks: found("webhooks"),
    deliveries: found("deliveries")
  }
}
