import * as Schema from "effect/Schema"
import { Id } from "../Id.ts"
import { limits } from "../limits.ts"
import type { MethodInputs } from "../MethodInput.ts"
import { ListQuery } from "../PageQuery.ts"
import { line } from "../Text.ts"
import { Timestamp } from "../Timestamp.ts"

/** The input of a new account. */
export const NewAccount = Schema.Struct({ name: line(limits.accountName) }).annotate({ identifier: "NewAccount" })
export interface NewAccount extends Schema.Schema.Type<typeof NewAccount> {}

/** An owner of API keys. */
export const Account = Schema.Struct({ id: Id, name: Schema.String, createdAt: Timestamp }).annotate({
  identifier: "Account"
})
export interface Account extends Schema.Schema.Type<typeof Account> {}

/** What the methods of `accounts` take. */
export const accountInputs = {
  create: { body: NewAccount, options: { idempotencyKey: true }, errors: ["account_name_taken"] },
  get: { path: { accountId: Id }, errors: ["not_found"] },
  list: { query: ListQuery }
} as const satisfies MethodInputs
