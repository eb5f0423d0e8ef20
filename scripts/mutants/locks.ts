import type * as Effect from "effect/Effect"
import type { Rows } from "../../packages/core/src/ports/Rows.ts"
import type { Transaction } from "../../packages/core/src/ports/Transaction.ts"
import { methodOf, type Node, nameOf } from "./syntax.ts"

/** The operations of a kind of rows that need a transaction and return what they have read: they lock it. */
type LockOf<Kind> = {
  [Name in keyof Kind]-?: Kind[Name] extends (...input: never) => Effect.Effect<infer A, unknown, infer R>
    ? Transaction extends R
      ? A extends number | ReadonlyArray<number>
        ? never
        : A extends void
          ? never
          : Name
      : never
    : never
}[keyof Kind]

type LockName = { [Kind in keyof Rows]: LockOf<Rows[Kind]> }[keyof Rows]

/** The operations of the port that lock; one that is added there has to be added here to compile. */
const lockNames: Readonly<Record<LockName, true>> = {
  lock: true,
  lockClaimable: true,
  lockDelivered: true,
  lockShared: true,
  otherAdminExists: true
}

/** A call that locks rows. */
export interface LockCall {
  readonly node: Node
  /** Such as `pets`. */
  readonly kind: string
  /** Such as `lock`. */
  readonly method: string
}

/** What a call locks, if it is a call that locks rows of a store. `npm run explore -- --weakened` tries the locks of programs. */
export const lockCallOf = (node: Node): LockCall | undefined => {
  const called = methodOf(node)
  const kind = nameOf(called?.object)
  if (called === undefined || kind === undefined || kind === "tx" || !Object.hasOwn(lockNames, called.method))
    return undefined
  return { node, kind, method: called.method }
}
