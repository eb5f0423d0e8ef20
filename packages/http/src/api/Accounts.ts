import { Account, NewAccount } from "@petstore/core/domain"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"
import { Errors, IdempotencyKey, Location, Scopes } from "./annotations.ts"
import { IdParameter, pageParameters } from "./parameters.ts"

const listAccounts = HttpApiEndpoint.get("listAccounts", "/accounts", {
  disableCodecs: true,
  query: pageParameters,
  success: Schema.Array(Account)
})
  .annotate(OpenApi.Summary, "List accounts")
  .annotate(Scopes, ["admin"])

const createAccount = HttpApiEndpoint.post("createAccount", "/accounts", {
  disableCodecs: true,
  payload: NewAccount,
  success: Account.pipe(HttpApiSchema.status(201))
})
  .annotate(OpenApi.Summary, "Create an account")
  .annotate(Scopes, ["admin"])
  .annotate(IdempotencyKey, "honoured")
  .annotate(Location, "/accounts/:id")
  .annotate(Errors, ["account_name_taken"])

// The Location of an account leads here.
const getAccount = HttpApiEndpoint.get("getAccount", "/accounts/:accountId", {
  disableCodecs: true,
  params: { accountId: IdParameter },
  success: Account
})
  .annotate(OpenApi.Summary, "Read an account")
  .annotate(Scopes, ["admin"])
  .annotate(Errors, ["not_found"])

/** Who holds API keys. */
export class AccountsGroup extends HttpApiGroup.make("accounts")
  .add(listAccounts, createAccount, getAccount)
  .annotate(OpenApi.Title, "Access") {}
