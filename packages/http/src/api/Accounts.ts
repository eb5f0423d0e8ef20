import { Account, NewAccount } from "@petstore/core/domain"
import * as Schema from "effect/Schema"
import { describeSchema, type OperationDocs } from "./docs.ts"
import { account, texts } from "./examples.ts"
import { operation } from "./operation.ts"
import { IdParameter, pageParameters, sortParameter } from "./parameters.ts"

const listAccounts = operation("listAccounts", "GET", "/accounts", {
  useCase: "accounts.list",
  query: { ...sortParameter, ...pageParameters },
  success: Schema.Array(Account),
  scopes: ["admin"]
})
export const listAccountsDocs = (): OperationDocs<typeof listAccounts> => ({
  summary: "List accounts",
  description: "Returns a page of accounts, sorted by id.",
  query: { sort: { description: texts.sort, example: "-id" } },
  success: "A page of accounts.",
  response: [account],
  stability: "stable"
})

const createAccount = operation("createAccount", "POST", "/accounts", {
  useCase: "accounts.create",
  body: NewAccount,
  success: Account,
  status: 201,
  scopes: ["admin"],
  idempotencyKey: "honoured",
  location: "/accounts/:id"
})
export const createAccountDocs = (): OperationDocs<typeof createAccount> => ({
  summary: "Create an account",
  description: "Creates an account for API keys. Names are unique, ignoring case.",
  request: { name: account.name },
  success: "The account was created.",
  response: account,
  stability: "stable"
})

const getAccount = operation("getAccount", "GET", "/accounts/:accountId", {
  useCase: "accounts.get",
  params: { accountId: IdParameter },
  success: Account,
  scopes: ["admin"]
})
export const getAccountDocs = (): OperationDocs<typeof getAccount> => ({
  summary: "Get an account",
  description: "Returns an account.",
  success: "The account.",
  response: account,
  stability: "stable"
})

export const accountsDocs = () => {
  const name = "The person or system that owns the account. Unique, ignoring case."
  return {
    parameters: { accountId: { description: "The account.", example: account.id } },
    schemas: [
      describeSchema(NewAccount, `The account to create. ${texts.stored}`, { name }),
      describeSchema(Account, "An account that API keys belong to.", {
        id: texts.id,
        name,
        createdAt: "When the account was created."
      })
    ]
  }
}

/** The operations on accounts, which own API keys. */
export const accountsOperations = { tag: "Access", operations: [listAccounts, createAccount, getAccount] }
