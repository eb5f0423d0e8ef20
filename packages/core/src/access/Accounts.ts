import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import type { NotFound } from "../domain/errors/RequestErrors.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { nameKey } from "../domain/Text.ts"
import { fail } from "../engine/Command.ts"
import { Idempotency, type IdempotencyError } from "../idempotency/Idempotency.ts"
import { map } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { found } from "../services/found.ts"
import type { CallOptions, CreateOptions } from "../services/Options.ts"
import { paginate } from "../services/pagination.ts"
import type { UseCases } from "../services/UseCases.ts"
import { type AccountRecord, accountsByName, accounts as table } from "../tables/index.ts"
import { AccountNameTaken } from "./AccessErrors.ts"
import type { Account, NewAccount } from "./Account.ts"

/** The methods of `petstore.accounts`: the owners of API keys. */
export interface AccountMethods<Options extends CallOptions = CallOptions> {
  /** Creates an account. Fails with `account_name_taken`; names that differ only in case are the same. */
  create(account: NewAccount, options?: CreateOptions & Options): Promise<Account>
  /** Reads an account. Fails with `not_found`. */
  get(accountId: number, options?: Options): Promise<Account>
  /** Lists one page of accounts, in ascending order of ids. */
  list(query?: PageQuery, options?: Options): Promise<Page<Account>>
  /** Iterates over the accounts of all pages. */
  all(query?: PageQuery, options?: Options): AsyncIterable<Account>
}

/** The use cases of accounts. Inputs are decoded already. */
export class Accounts extends Context.Service<
  Accounts,
  UseCases<
    AccountMethods,
    {
      create: AccountNameTaken | IdempotencyError
      get: NotFound
      list: InvalidCursor
    }
  > & {
    /** The account with this name, without regard to case. */
    readonly findByName: (name: string) => Effect.Effect<Account | undefined, StorageError>
  }
>()("@petstore/core/access/Accounts") {
  static readonly layer = Layer.effect(
    Accounts,
    Effect.gen(function* () {
      const storage = yield* Storage
      const idempotency = yield* Idempotency

      return {
        create: (input, options) =>
          idempotency.once("accounts.create", input, options, function* (call) {
            const { name } = input
            if ((yield* call.tx.first(accountsByName, nameKey(name))) !== undefined) {
              return yield* fail(new AccountNameTaken({ name }))
            }
            const createdAt = call.now()
            const row = (id: number) => ({ account: { id, name, createdAt }, nameKey: nameKey(name) })
            return (yield* call.tx.insert(table, row)).account
          }),

        get: (id) => map(found("account", id, storage.find(table, id)), ({ account }) => account),

        list: (query = {}) =>
          paginate(
            query,
            { list: "accounts", start: 0, position: ({ account }: AccountRecord) => account.id },
            (after, limit) => storage.scan(table, [after], limit),
            ({ account }) => account
          ),

        findByName: (name) => map(storage.select(accountsByName, nameKey(name), 1), ([record]) => record?.account)
      }
    })
  )
}
