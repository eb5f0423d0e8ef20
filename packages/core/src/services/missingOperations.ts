import type { Rows } from "../ports/Rows.ts"
import type { Storage } from "../ports/Storage.ts"

type Port = Storage["Service"]

/** The required keys of `A`: a new one that is missing here does not compile. */
type Required<A> = { readonly [Key in keyof A as undefined extends A[Key] ? never : Key]-?: true }

const operations: Required<Omit<Port, keyof Rows>> = {
  transact: true,
  snapshot: true,
  watch: true,
  ready: true,
  activity: true,
  inspect: true
}

const rows: { readonly [Name in keyof Rows]: Required<Rows[Name]> } = {
  accounts: { find: true, findByName: true, list: true, insert: true },
  apiKeys: {
    find: true,
    lock: true,
    list: true,
    scan: true,
    otherAdminExists: true,
    insert: true,
    save: true,
    touch: true
  },
  categories: {
    find: true,
    findByName: true,
    lock: true,
    lockShared: true,
    list: true,
    insert: true,
    save: true,
    scan: true
  },
  checkpoints: { find: true, lock: true, save: true, remove: true, scan: true },
  consumers: { find: true, lock: true, list: true, lowest: true, insert: true, save: true, remove: true },
  events: { append: true, appendAll: true, latest: true, scan: true, find: true, trim: true },
  deliveries: {
    remove: true,
    find: true,
    list: true,
    ofEvents: true,
    scan: true,
    due: true,
    nextDue: true,
    leased: true,
    pending: true,
    backlogs: true,
    insertAll: true,
    save: true
  },
  idempotency: { lock: true, save: true, purge: true, scan: true },
  imports: { lock: true, append: true, scan: true },
  messages: {
    find: true,
    lock: true,
    list: true,
    count: true,
    insert: true,
    save: true,
    remove: true,
    nextDue: true,
    lockClaimable: true,
    lockDelivered: true
  },
  movements: { append: true, appendAll: true, list: true, scan: true },
  parkedEvents: { find: true, list: true, listReplays: true, scan: true, save: true, remove: true },
  orders: { find: true, lock: true, list: true, insert: true, save: true, owners: true, scan: true },
  pets: {
    find: true,
    lock: true,
    list: true,
    insert: true,
    insertAll: true,
    save: true,
    saveStock: true,
    scan: true
  },
  webhooks: {
    find: true,
    lock: true,
    list: true,
    scan: true,
    insert: true,
    save: true
  }
}

const isOperation = (value: unknown): boolean =>
  typeof value === "function" || (typeof value === "object" && value !== null)

const missingIn = (place: string, value: unknown, names: object): ReadonlyArray<string> => {
  const found: object = isOperation(value) ? Object(value) : {}
  return Object.keys(names)
    .filter((name) => !isOperation(Reflect.get(found, name)))
    .map((name) => place + name)
}

/** What the port requires and a value does not have, such as `pets.lock`; empty for a store that can be used. */
export const missingOperations = (store: Port): ReadonlyArray<string> => [
  ...missingIn("", store, operations),
  ...Object.entries(rows).flatMap(([name, names]) => missingIn(`${name}.`, Reflect.get(store, name), names))
]
