import type * as Effect from "effect/Effect"
import type { Rows } from "../../packages/core/src/ports/Rows.ts"
import type { Transaction } from "../../packages/core/src/ports/Transaction.ts"
import { methodOf, type Node, nameOf } from "./syntax.ts"

/** The operations of the port that need a transaction: they lock rows, or write. */
type InTransaction = {
  [Name in keyof Rows]-?: Rows[Name] extends (...input: never) => Effect.Effect<unknown, unknown, infer R>
    ? Transaction extends R
      ? Name
      : never
    : never
}[keyof Rows]

/** What reads the same rows as an operation that locks, without a lock. One that is added has to be added here to compile. */
const readOf: Readonly<Record<Exclude<InTransaction, "insert" | "write">, keyof Rows>> = {
  lock: "find",
  claim: "select"
}

/** A call that locks rows. */
export interface LockCall {
  readonly node: Node
  /** Such as `lock`. */
  readonly method: string
  /** The operation that reads the same without a lock, such as `find`. */
  readonly read: string
}

const stores = ["rows", "storage", "store"]

const isLock = (method: string): method is keyof typeof readOf => Object.hasOwn(readOf, method)

/** What a call locks, if it is a call that locks rows of a store. `npm run explore -- --weakened` tries the locks of programs. */
export const lockCallOf = (node: Node): LockCall | undefined => {
  const called = methodOf(node)
  if (called === undefined || !isLock(called.method) || !stores.includes(nameOf(called.object) ?? "")) return undefined
  return { node, method: called.method, read: readOf[called.method] }
}
