import { nameKey } from "@petstore/core/domain"
import { Petstore, Storage } from "@petstore/core/effect"
import { accountsByName } from "@petstore/core/tables"
import * as Effect from "effect/Effect"

export const findOrCreateAccount = Effect.fnUntraced(function* (name: string) {
  const petstore = yield* Petstore
  const storage = yield* Storage
  const find = Effect.map(storage.select(accountsByName, nameKey(name), 1), ([row]) => row?.account)
  const existing = yield* find
  if (existing !== undefined) return existing
  return yield* petstore.accounts.create({ name }).pipe(
    Effect.catchTag("AccountNameTaken", (taken) =>
      // By another process meanwhile.
      Effect.flatMap(find, (other) => (other === undefined ? Effect.fail(taken) : Effect.succeed(other)))
    )
  )
})
