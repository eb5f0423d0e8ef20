import { StorageBusy } from "@petstore/core/domain"
import type { Transaction } from "@petstore/core/ports"
import * as Effect from "effect/Effect"
import type { Query, Sql } from "./Sql.ts"

/** Reserves a name with values until the transaction ends; see `claim` of {@link Sql}. Fails if it is held for too long. */
export const claimed = (sql: Sql, name: string): Query<void, Transaction> => {
  const claim = sql.claim(name)
  return (...values) =>
    Effect.flatMap(claim(...values), (isClaimed) =>
      isClaimed
        ? Effect.void
        : Effect.fail(new StorageBusy({}, { cause: new Error(`Another transaction holds the ${name}`) }))
    )
}
