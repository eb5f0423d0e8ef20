import * as Context from "effect/Context"

/**
 * Whether a body of a transaction promises to fail if a part of it does: `transact` inside its body. A store may then run parts
 * without the means to roll each back alone, such as savepoints. If a body breaks the promise, it dies, and all of it is rolled
 * back; a store that can roll parts back anyway may keep what such a body did.
 */
export const FailsWithParts: Context.Reference<boolean> = Context.Reference<boolean>(
  "@petstore/core/ports/FailsWithParts",
  { defaultValue: () => false }
)
