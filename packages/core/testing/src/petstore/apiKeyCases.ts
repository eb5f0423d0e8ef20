import type { CallOptions, PetstoreApi } from "@petstore/core"
import { ApiKeyToken, presets } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { unknown } from "./given.ts"
import { collect } from "./inspect.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const account = async (petstore: PetstoreApi) => (await petstore.accounts.create({ name: "Shop" })).id

const adminKey = async (petstore: PetstoreApi, accountId: number) =>
  (await petstore.apiKeys.create({ accountId, name: "Admin", preset: "admin" })).id

const day = 24 * 60 * 60 * 1000

const withKey: CallOptions & { readonly idempotencyKey: string } = { idempotencyKey: "once", signal: undefined }

export const apiKeyCases = petstoreCases("API keys", {
  "a new key is shown with its secret, once": async (petstore) => {
    const accountId = await account(petstore)
    const { key, ...created } = await petstore.apiKeys.create({ accountId, name: "Till", scopes: ["pets:read"] })
    assertEqual(ApiKeyToken.parseToken(key)?.id, created.id, "the id in the key")
    const { id, createdAt } = created
    assertEqual(created, { id, accountId, name: "Till", scopes: ["pets:read"], createdAt })
    const { version: _, ...shown } = await petstore.apiKeys.get(id)
    assertEqual(shown, created)
    const other = await petstore.apiKeys.create({ accountId, name: "Till", scopes: ["pets:read"] })
    assertTrue(
      ApiKeyToken.parseToken(other.key)?.secret !== ApiKeyToken.parseToken(key)?.secret,
      "it has another secret"
    )
    assertEqual(
      (await collect(petstore.apiKeys.all())).filter((other) => other.id === id),
      [created]
    )
  },
  "a key of an unknown account is rejected": async (petstore) => {
    const call = petstore.apiKeys.create({ accountId: unknown, name: "Till", preset: "read" })
    await rejectsWith("unknown_account", call, { accountId: unknown })
  },
  "each preset stands for its scopes, which are returned in a fixed order": async (petstore) => {
    const accountId = await account(petstore)
    for (const preset of ["read", "write", "admin", "storefront", "warehouse"] as const) {
      const { scopes } = await petstore.apiKeys.create({ accountId, name: preset, preset })
      assertEqual([...scopes].sort(), [...presets[preset]].sort(), `the scopes of ${preset}`)
    }
    const some = ["orders:write", "inventory:read", "pets:read"] as const
    const { scopes } = await petstore.apiKeys.create({ accountId, name: "Till", scopes: some })
    assertEqual(scopes, ["pets:read", "inventory:read", "orders:write"])
  },
  "a key keeps its expiry time": async (petstore) => {
    const accountId = await account(petstore)
    const expiresAt = "2099-01-01T01:00:00+01:00"
    const created = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read", expiresAt })
    assertEqual(created.expiresAt, "2099-01-01T00:00:00.000Z")
    assertEqual((await petstore.apiKeys.get(created.id)).expiresAt, created.expiresAt)
  },
  "rotating a key changes only its secret": async (petstore) => {
    const accountId = await account(petstore)
    const { key: old, ...created } = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" })
    const { key, ...rotated } = await petstore.apiKeys.rotate(created.id)
    assertEqual(rotated, created)
    assertTrue(key !== old, "the secret is a new one")
    assertEqual(ApiKeyToken.parseToken(key)?.id, created.id)
    const { key: next } = await petstore.apiKeys.rotate(created.id, { graceSeconds: 0 })
    assertTrue(next !== key && next !== old, "the secret is a new one again")
    const { version: _, ...shown } = await petstore.apiKeys.get(created.id)
    assertEqual(shown, created)
  },
  "each change of a key has an event, which shows the key without its secret": async (petstore) => {
    const accountId = await account(petstore)
    const after = await petstore.events.latest()
    const expiresAt = "2099-01-01T00:00:00.000Z"
    const { key, ...created } = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read", expiresAt })
    const { key: next } = await petstore.apiKeys.rotate(created.id)
    await petstore.apiKeys.revoke(created.id)
    const subject = `apiKeys/${created.id}`
    const events = await collect(petstore.events.all({ after, subject }))
    assertEqual(
      events.map(({ data, type }) => ({ type, data })),
      (["created", "rotated", "revoked"] as const).map((what) => ({ type: `apiKey.${what}`, data: created }))
    )
    const secrets = [key, next].map((token) => ApiKeyToken.parseToken(token)?.secret ?? token)
    assertTrue(!secrets.some((secret) => JSON.stringify(events).includes(secret)), "no event contains a secret")
  },
  "a key is revoked only at the given version, which each rotation changes": async (petstore) => {
    const accountId = await account(petstore)
    const { id } = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" })
    const { version: first } = await petstore.apiKeys.get(id)
    await petstore.apiKeys.rotate(id)
    for (const ifVersion of [first, [first, 1], []]) {
      await rejectsWith("precondition_failed", petstore.apiKeys.revoke(id, { ifVersion }))
    }
    const { version } = await petstore.apiKeys.get(id)
    assertTrue(version !== first, "the version is another one")
    await rejectsWith("not_found", petstore.apiKeys.revoke(unknown, { ifVersion: version }))
    await petstore.apiKeys.revoke(id, { ifVersion: [first, version] })
    await rejectsWith("not_found", petstore.apiKeys.get(id))
  },
  "a revoked key is gone, and its id is never reused": async (petstore) => {
    const accountId = await account(petstore)
    const { id } = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" })
    await petstore.apiKeys.revoke(id)
    await rejectsWith("not_found", petstore.apiKeys.get(id))
    await rejectsWith("not_found", petstore.apiKeys.rotate(id))
    await rejectsWith("not_found", petstore.apiKeys.revoke(id))
    assertTrue(!(await collect(petstore.apiKeys.all())).some((key) => key.id === id), "the list does not have it")
    const next = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" })
    assertTrue(next.id !== id, `${next.id} is not an id that was used before`)
  },
  "an admin key is revoked while there is another, and the last one is not": async (petstore) => {
    const accountId = await account(petstore)
    await petstore.apiKeys.create({ accountId, name: "Till", preset: "write" })
    const [first, second] = [await adminKey(petstore, accountId), await adminKey(petstore, accountId)]
    await petstore.apiKeys.revoke(first)
    await rejectsWith("last_admin_key", petstore.apiKeys.revoke(second), { keyId: second })
    assertEqual((await petstore.apiKeys.get(second)).id, second)
  },
  "an admin key that is about to expire does not count as another admin key": async (petstore) => {
    const accountId = await account(petstore)
    const keyId = await adminKey(petstore, accountId)
    const now = Date.parse((await petstore.apiKeys.get(keyId)).createdAt)
    const admin = { accountId, name: "Guest", preset: "admin" } as const
    await petstore.apiKeys.create({ ...admin, expiresAt: new Date(now + 6 * day).toISOString() })
    await rejectsWith("last_admin_key", petstore.apiKeys.revoke(keyId), { keyId })
    const { id: successor } = await petstore.apiKeys.create({ ...admin, expiresAt: "2099-01-01T00:00:00Z" })
    await petstore.apiKeys.revoke(keyId)
    await rejectsWith("last_admin_key", petstore.apiKeys.revoke(successor), { keyId: successor })
  },
  "a key that would have expired already is not created": async (petstore) => {
    const accountId = await account(petstore)
    for (const expiresAt of ["2001-01-01T00:00:00Z", "2001-01-01T09:00:00+14:00", "0001-01-01T00:00:00Z"]) {
      const call = petstore.apiKeys.create({ accountId, name: "Till", preset: "read", expiresAt })
      await rejectsInput(call, "/body/expiresAt")
    }
    assertEqual((await petstore.apiKeys.list()).items, [])
  },
  "a method that returns a secret takes no idempotency key": async (petstore) => {
    const accountId = await account(petstore)
    const create = petstore.apiKeys.create({ accountId, name: "Till", preset: "read" }, withKey)
    await rejectsWith("invalid_idempotency_key", create)
    const { id } = await petstore.apiKeys.create({ accountId, name: "Till", preset: "read" })
    await rejectsWith("invalid_idempotency_key", petstore.apiKeys.rotate(id, {}, withKey))
    assertEqual((await petstore.apiKeys.list()).items.length, 1)
  }
})
