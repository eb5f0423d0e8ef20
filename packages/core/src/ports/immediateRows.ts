import type { Rows } from "./Rows.ts"

/** The rows of the most frequent commands. */
type ImmediateRows = Pick<Rows, "pets" | "categories" | "orders" | "movements" | "events">

/** The rows of a kind whose calls are made at once, by those that a store has besides. */
const immediate = new WeakMap<object, object>()

/**
 * Gives a store whose calls are synchronous a second set of rows, for {@link immediateRows}. In the body that runs now their calls
 * take effect when they are made, and return their exit; everywhere else they return an effect, as those of `rows` do.
 */
export const withImmediateRows = <R extends Rows>(rows: R, atOnce: ImmediateRows): R => {
  for (const name of ["pets", "categories", "orders", "movements", "events"] as const) {
    immediate.set(rows[name], atOnce[name])
  }
  return rows
}

/**
 * The rows of a store for bodies that make each call once, and not before its turn. A call that returns its exit costs no
 * step of a fiber; `Effect.flatMapEager` makes the next call at once then, and in a later step otherwise. Where a store waits
 * for its calls, or a decorator has replaced the rows of a kind, these are the ordinary ones.
 */
export const immediateRows = (store: Rows): ImmediateRows => {
  const of = <Name extends keyof ImmediateRows>(name: Name): Rows[Name] =>
    (immediate.get(store[name]) as Rows[Name] | undefined) ?? store[name]
  return {
    pets: of("pets"),
    categories: of("categories"),
    orders: of("orders"),
    movements: of("movements"),
    events: of("events")
  }
}

/** Whether the events of a store are those that it has itself: no decorator has replaced their rows. */
export const hasOwnEvents = ({ events }: Rows): boolean => immediate.has(events)
