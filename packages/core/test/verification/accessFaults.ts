import { fileOf } from "../../testing/src/storage/rows.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { change, changeAccount, type Fault } from "./Fault.ts"

/** Faults of accounts, API keys and imports. */
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
  ),
  {
    given: "an import without its first batch",
    damage: {
      imports: change(
        () => true,
        (batch) => ({ ...batch, seq: 2, run: 1 })
      )
    },
    found: {
      import_batches: [{ file: fileOf(1), seq: 2, problem: "its number does not follow the one before" }]
    }
  }
]
