import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Account, type NewAccount } from "../domain/Account.ts"
import { AccountNameTaken } from "../domain/errors/AccessErrors.ts"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { NotFound } from "../domain/errors/RequestErrors.ts"
import type { PageQuery } from "../domain/Filters.ts"
import type { Page } from "../domain/Page.ts"
import { nameKey } from "../domain/Text.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { Idempotency, type IdempotencyError } from "./Idempotency.ts"
import { Journal } from "./Journal.ts"
import type { Created, CreateOptions } from "./Options.ts"
import { paginate } from "./pagination.ts"

/** The use cases of accounts. Inputs are decoded already. */
export class Accounts extends Context.Service<
  Accounts,
  {
    readonly create: (
      input: NewAccount,
      options?: CreateOptions
    ) => Effect.Effect<Created<Account>, AccountNameTaken | IdempotencyError | StorageError>
    readonly get: (id: number) => Effect.Effect<Account, NotFound | StorageError>
    readonly list: (query?: PageQuery) => Effect.Effect<Page<Account>, InvalidCursor | StorageError>
    /** The account with this name, without regard to case. */
    readonly findByName: (name: string) => Effect.Effect<Account | undefined, StorageError>
  }
>()("@petstore/core/services/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const { accounts } = yield* Storage
      const idempotency = yield* Idempotency
      const journal = yield* Journal

      return {
        create: (input, options) =>
          idempotency.once(
            "accounts.create",
            input,
            Account,
            options,
            Effect.gen(function* () {
              const createdAt = yield* journal.now
              const id = yield* accounts
                .insert({ name: input.name, createdAt, nameKey: nameKey(input.name) })
                .pipe(Effect.catchTag("Duplicate", () => Effect.fail(new AccountNameTaken({ name: input.name }))))
              return { id, name: input.name, createdAt }
            })
          ),

        get: (id) =>
          Effect.flatMap(accounts.find(id), (account) =>
            account === undefined ? Effect.fail(NotFound.of("account", id)) : Effect.succeed(account)
          ),

        list: (query = {}) =>
          paginate(
            query,
            { list: "accounts", start: 0, position: (account: Account) => account.id },
            accounts.list,
            (account) => account
          ),

        findByName: (name) => accounts.findByName(nameKey(name))
      }
    })
  )
}
