import type { Rows } from "./Rows.ts"
import type { RunCommand, Storage } from "./Storage.ts"

type Store = Storage["Service"]

const kinds = [
  "transact",
  "accounts",
  "apiKeys",
  "categories",
  "consumers",
  "deliveries",
  "events",
  "idempotency",
  "messages",
  "movements",
  "orders",
  "parkedEvents",
  "pets",
  "webhooks"
] as const satisfies ReadonlyArray<"transact" | keyof Rows>

/** What stores have themselves of all that `run` takes the place of. */
const own = new WeakSet<object>()

/** Marks the operations of a store that has `run`. */
export const withRun = <S extends Store>(store: S): S => {
  for (const kind of kinds) own.add(store[kind])
  return store
}

/** How a store runs commands; undefined if a decorator has replaced operations that a run would pass by. */
export const runOf = (store: Store): RunCommand | undefined =>
  store.run !== undefined && kinds.every((kind) => own.has(store[kind])) ? store.run : undefined
