import { scopesOf } from "../../src/domain/access/ApiKey.ts"
import { untyped } from "../../testing/src/untyped.ts"
import { about, again, change, changeAccount, changeKey, type Fault, withData } from "./Fault.ts"

const written = scopesOf({ preset: "write" }).join(" ")

const replayed = (keyId: number, fields: Fault["found"][string][number]) => ({
  events_replay_api_keys: [{ subject: `apiKeys/${keyId}`, ...fields }]
})

/** Faults of accounts and API keys. */
export const accessFaults: ReadonlyArray<Fault> = [
  {
    given: "two accounts with one name",
    damage: { accounts: changeAccount(2, { name: "SHOP" }) },
    found: { account_names: [{ accountId: 2, name: "SHOP", foundByName: 1 }] }
  },
  {
    given: "an API key without its account",
    damage: { apiKeys: changeKey(1, ({ key }) => ({ key: { ...key, accountId: 9 } })) },
    found: {
      api_key_accounts: [{ keyId: 1, accountId: 9 }],
      ...replayed(1, { accountId: { found: 9, expected: 1 } })
    }
  },
  ...[[], ["pets:read", "pets:eat"], "admin", null].map(
    (scopes): Fault => ({
      given: `an API key with the scopes ${JSON.stringify(scopes)}`,
      damage: { apiKeys: changeKey(1, ({ key }) => ({ key: { ...key, scopes: untyped(scopes) } })) },
      found: {
        api_key_scopes: [{ keyId: 1, scopes: untyped(scopes) }],
        ...replayed(1, {
          scopes: { found: Array.isArray(scopes) ? scopes.join(" ") : scopes, expected: written }
        })
      }
    })
  ),
  {
    given: "an API key with a scope that its events do not show",
    damage: { apiKeys: changeKey(1, ({ key }) => ({ key: { ...key, scopes: ["admin"] } })) },
    found: replayed(1, { scopes: { found: "admin", expected: written } })
  },
  {
    given: "a revoked API key that works again",
    damage: { apiKeys: changeKey(2, () => ({ revoked: false })) },
    found: replayed(2, { revoked: { found: false, expected: true } })
  },
  {
    given: "the events of an API key that is gone",
    damage: { apiKeys: (keys) => keys.filter(({ key }) => key.id !== 2) },
    found: replayed(2, { problem: "there is no such row" })
  },
  {
    given: "an API key that is created after its rotation",
    damage: { events: again(about("apiKeys/1", "apiKey.created")) },
    found: replayed(1, { seq: 47, type: "apiKey.created", after: "apiKey.rotated" })
  },
  {
    given: "an API key that is revoked twice",
    damage: { events: again(about("apiKeys/2", "apiKey.revoked")) },
    found: replayed(2, { seq: 47, type: "apiKey.revoked", after: "apiKey.revoked" })
  },
  {
    given: "an event of an API key with another name",
    damage: { events: change(about("apiKeys/1", "apiKey.created"), withData({ name: "Shop" })) },
    found: replayed(1, { seq: 44, type: "apiKey.rotated", name: { found: "Till", expected: "Shop" } })
  }
]
