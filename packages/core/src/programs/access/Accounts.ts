import { AccountNameTaken } from "../../domain/access/AccessErrors.ts"
import type { Account, NewAccount } from "../../domain/access/Account.ts"
import type { Page } from "../../domain/Page.ts"
import type { ListQuery } from "../../domain/PageQuery.ts"
import { nameKey } from "../../domain/Text.ts"
import { fail } from "../../kernel/Command.ts"
import { accountsAfter, accountsBefore, accountsByName, accounts as table } from "../../tables/index.ts"
import type { Call, Reading } from "../Call.ts"
import { once } from "../idempotency/once.ts"
import { notFound } from "../notFound.ts"
import type { CallOptions, CreateOptions } from "../Options.ts"
import { directionOf, pageOf } from "../pagination.ts"

/** The methods of `petstore.accounts`: the owners of API keys. */
export interface AccountMethods<Options extends CallOptions = CallOptions> {
  /** Creates an account. Fails with `account_name_taken`; names that differ only in case are the same. */
  create(account: NewAccount, options?: CreateOptions & Options): Promise<Account>
  /** Reads an account. Fails with `not_found`. */
  get(accountId: number, options?: Options): Promise<Account>
  /** Lists one page of accounts, in ascending order of ids or, with `sort: "-id"`, the newest first. */
  list(query?: ListQuery, options?: Options): Promise<Page<Account>>
  /** Iterates over all accounts, a page at a time. */
  all(query?: ListQuery, options?: Options): AsyncIterable<Account>
}

export const accountQueries = {
  *get({ rows }: Reading, id: number) {
    return ((yield* rows.find(table, id)) ?? (yield* notFound("account", id))).account
  },

  *list({ rows }: Reading, query: ListQuery = {}) {
    const { by, sort, start } = directionOf(query.sort, accountsAfter, accountsBefore)
    return yield* pageOf(query, {
      list: "accounts",
      filters: { sort },
      start,
      rows: (after, limit) => rows.all(by, after, limit),
      position: ({ account }) => account.id,
      item: ({ account }) => account
    })
  }
}

export const accountCommands = {
  *create(call: Call, input: NewAccount, options?: CreateOptions) {
    yield* once(call, "accounts.create", options, () => input)
    const { name } = input
    if ((yield* call.tx.first(accountsByName, nameKey(name))) !== undefined) {
      return yield* fail(new AccountNameTaken({ name }))
    }
    const createdAt = call.now()
    const row = (id: number) => ({ account: { id, name, createdAt }, nameKey: nameKey(name) })
    return (yield* call.tx.insert(table, row)).account
  }
}
