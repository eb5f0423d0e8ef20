import { type Account, nameKey } from "@petstore/core/domain"
import { Petstore, Storage } from "@petstore/core/effect"
import { accountsByName } from "@petstore/core/tables"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { openExisting, openOrCreate } from "../database.ts"
import { withArgumentNames } from "../errors.ts"
import type { Database } from "../settings.ts"
import { table } from "../terminal/table.ts"
import { outputWidth } from "../terminal/text.ts"

/** Finds the account of a name, or creates it. */
export const findOrCreateAccount = Effect.fnUntraced(function* (name: string) {
  const petstore = yield* Petstore
  const storage = yield* Storage
  const find = Effect.map(storage.select(accountsByName, nameKey(name), 1), ([found]) => found?.account)
  const found = yield* find
  if (found !== undefined) return found
  return yield* Effect.catchTag(petstore.accounts.create({ name }), "AccountNameTaken", (taken) =>
    // By another process meanwhile.
    Effect.flatMap(find, (other) => (other === undefined ? Effect.fail(taken) : Effect.succeed(other)))
  )
})

interface CreateInput {
  readonly database: Database
  readonly name: string
}

/** Creates an account, and prints nothing but its id. */
export const create = ({ database, name }: CreateInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const { id } = yield* withArgumentNames({ name: "NAME" })(petstore.accounts.create({ name }))
    yield* Console.log(String(id))
  }).pipe(Effect.provide(openOrCreate(database)))

interface ListInput {
  readonly database: Database
  readonly json: boolean
}

const toTable = (accounts: ReadonlyArray<Account>): string =>
  table(
    [["id", "name", "created"], ...accounts.map(({ createdAt, id, name }) => [String(id), name, createdAt])],
    outputWidth()
  )

/** Prints every account. */
export const list = ({ database, json }: ListInput) =>
  Effect.gen(function* () {
    const petstore = yield* Petstore
    const accounts = yield* Stream.runCollect(petstore.accounts.all({ limit: 100 }))
    yield* Console.log(json ? JSON.stringify(accounts, null, 2) : toTable(accounts))
  }).pipe(Effect.provide(openExisting(database)))
