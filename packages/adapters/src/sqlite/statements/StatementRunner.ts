import type { StorageError } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { Statement } from "../../sql/Program.ts"
import type { Value } from "../../sql/Value.ts"

/** Runs statements outside of transactions: a connection, or a snapshot. */
export interface StatementRunner {
  execute<A>(statement: Statement<A>, values: ReadonlyArray<Value>): Effect.Effect<A, StorageError>
}
