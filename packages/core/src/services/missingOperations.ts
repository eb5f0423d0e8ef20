import type { Storage } from "../ports/Storage.ts"

type Port = Storage["Service"]

/** The required keys of `A`: a new one that is missing here does not compile. */
type Required<A> = { readonly [Key in keyof A as undefined extends A[Key] ? never : Key]-?: true }

const operations: Required<Port> = {
  transact: true,
  snapshot: true,
  watch: true,
  ready: true,
  activity: true,
  inspect: true,
  find: true,
  findAll: true,
  lock: true,
  scan: true,
  select: true,
  count: true,
  claim: true,
  insert: true,
  write: true,
  events: true
}

const events: Required<Port["events"]> = { latest: true, scan: true, find: true }

const isOperation = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null)

const missingIn = (place: string, value: unknown, names: object): ReadonlyArray<string> => {
  const found: object = isOperation(value) ? Object(value) : {}
  return Object.keys(names)
    .filter((name) => !isOperation(Reflect.get(found, name)))
    .map((name) => place + name)
}

/** What the port requires and a value does not have, such as `lock`; empty for a store that can be used. */
export const missingOperations = (store: Port): ReadonlyArray<string> => [
  ...missingIn("", store, operations),
  ...missingIn("events.", store.events, events)
]
