import { untyped } from "../../testing/src/untyped.ts"
import { change, changeAccount, type Fault } from "./Fault.ts"

/** Faults of accounts and API keys. */
export const accessFaults: ReadonlyArray<Fault> = [
  {
    given: "two accounts with one name",
    damage: { accounts: changeAccount(2, { name: "SHOP" }) },
    found: { account_names: [{ accountId: 2, name: "SHOP", foundByName: 1 }] }
  },
  {
    given: "an API key without its account",
    damage: {
      apiKeys: change(
        () => true,
        (row) => ({ ...row, key: { ...row.key, accountId: 9 } })
      )
    },
    found: { api_key_accounts: [{ keyId: 1, accountId: 9 }] }
  },
  ...[[], ["pets:read", "pets:eat"], "admin", null].map(
    (scopes): Fault => ({
      given: `an API key with the scopes ${JSON.stringify(scopes)}`,
      damage: {
        apiKeys: change(
          () => true,
          (row) => ({ ...row, key: { ...row.key, scopes: untyped(scopes) } })
        )
      },
      found: { api_key_scopes: [{ keyId: 1, scopes: untyped(scopes) }] }
    })
  )
]
