import * as Context from "effect/Context"

/** On whose behalf a command runs. */
export interface PrincipalInfo {
  /** Whose idempotency keys count: the account, or 0 for the owner of the store. */
  readonly accountId: number
  /** Who of those that share the account: their idempotency keys are their own. Absent where keys are the account's. */
  readonly user?: string | undefined
  /** The name in the stock ledger: `owner` in process, `key:<id>` for an API key. */
  readonly actor: string
}

/** The principal of the running command; the owner of the store where nobody says otherwise. */
export const Principal: Context.Reference<PrincipalInfo> = Context.Reference<PrincipalInfo>(
  "@petstore/core/services/Principal",
  { defaultValue: () => ({ accountId: 0, actor: "owner" }) }
)
