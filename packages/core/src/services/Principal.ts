import * as Context from "effect/Context"

/** Who gives a command. */
export interface PrincipalInfo {
  /** The account that idempotency keys belong to; 0 for the owner of the store. */
  readonly accountId: number
  /** A user of that account, if each user has idempotency keys of their own. */
  readonly user?: string | undefined
  /** The actor in the stock ledger: `owner` in-process, `key:<id>` for an API key. */
  readonly actor: string
}

/** The principal of the running command. By default, the owner of the store. */
export const Principal: Context.Reference<PrincipalInfo> = Context.Reference<PrincipalInfo>(
  "@petstore/core/services/Principal",
  { defaultValue: () => ({ accountId: 0, actor: "owner" }) }
)
