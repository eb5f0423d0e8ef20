import type { StorageError } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import { statementError } from "./errors.ts"

/** Runs asynchronous work with the storage error for what it throws. */
export const attempt = <A>(work: () => Promise<A>): Effect.Effect<A, StorageError> =>
  Effect.tryPromise({ try: work, catch: statementError })
