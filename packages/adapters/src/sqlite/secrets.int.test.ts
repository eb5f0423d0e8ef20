import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { ApiKeyToken } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

expectLogs(clearText)

/** Every byte of the database, the files beside it included. */
const bytesBeside = (file: string): string =>
  readdirSync(dirname(file))
    .map((name) => readFileSync(join(dirname(file), name), "latin1"))
    .join("\n")

const assertCode = async (code: string, call: Promise<unknown>): Promise<void> => {
  const error: unknown = await call.then(
    () => undefined,
    (cause: unknown) => cause
  )
  assert.deepInclude(Object(error), { code })
}

const canary = "canary-7f3a9c"

describe("given API keys that are created, rotated and revoked", () => {
  it.effect("when the files of the database are read, then no secret is in them, neither open nor closed", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.promise(async () => {
        const petstore = await createPetstore({ storage: sqlite(file) })
        await petstore.messages.enqueue(canary, { idempotencyKey: canary })
        const { id: accountId } = await petstore.accounts.create({ name: "Shop" }, { idempotencyKey: "shop" })
        const first = await petstore.apiKeys.create({ accountId, name: "Till", preset: "admin" })
        const second = await petstore.apiKeys.create({ accountId, name: "Door", preset: "read" })
        const rotated = await petstore.apiKeys.rotate(first.id)
        await petstore.apiKeys.revoke(second.id)

        const open = bytesBeside(file)
        await petstore.close()
        const closed = bytesBeside(file)
        for (const bytes of [open, closed]) {
          assert.include(bytes, canary, "what is written can be found")
          for (const { key } of [first, second, rotated]) {
            const { secret = "" } = ApiKeyToken.parseToken(key) ?? {}
            assert.lengthOf(secret, 43)
            for (const part of [secret.slice(0, 12), secret.slice(-12)]) assert.isFalse(bytes.includes(part))
          }
        }
      })
    })
  )
})

describe("given webhooks with tokens in their URLs, on a petstore with a secretKey", () => {
  const [key, next] = ["a", "b"].map((letter) => `${letter.repeat(42)}A=`) as [string, string]
  const url = `https://hooks.example.com/services/${canary}?token=${canary}`

  /** The parts of a secret or a URL that would reveal it. */
  const partsOf = (text: string): ReadonlyArray<string> => [text.slice(8, 24), text.slice(-16)]

  it.effect(
    "when they are created, rotated and used, then neither the files nor a backup have a secret or a token",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const backup = yield* temporaryFile
        yield* Effect.promise(async () => {
          const petstore = await createPetstore({ storage: sqlite(file), secretKey: key })
          await petstore.categories.create({ name: "written-8c1d" })
          const { id, secret } = await petstore.webhooks.create({ url })
          const rotated = await petstore.webhooks.rotateSecret(id)
          await petstore.webhooks.update(id, { url: `${url}&again=1` })
          const { id: deleted, ...other } = await petstore.webhooks.create({ url })
          await petstore.webhooks.delete(deleted)
          await petstore.backup(backup)
          const open = bytesBeside(file)
          await petstore.close()
          for (const bytes of [open, bytesBeside(file), bytesBeside(backup)]) {
            assert.include(bytes, "written-8c1d", "what is written can be found")
            for (const text of [url, secret, rotated.secret, other.secret]) {
              for (const part of partsOf(text)) assert.isFalse(bytes.includes(part), part)
            }
            assert.isFalse(bytes.includes("hooks.example.com"))
          }
        })
      })
  )

  it.effect("when what was in clear text is encrypted, then a backup has none of it, and needs the key", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const backup = yield* temporaryFile
      yield* Effect.promise(async () => {
        const clear = await createPetstore({ storage: sqlite(file) })
        const { id, secret } = await clear.webhooks.create({ url })
        await clear.close()
        assert.isTrue(bytesBeside(file).includes(secret), "it was in clear text")

        const petstore = await createPetstore({ storage: sqlite(file), secretKey: [next, key] })
        assert.strictEqual(await petstore.encryptSecrets(), 1)
        await petstore.backup(backup)
        await petstore.close()
        for (const part of [...partsOf(url), ...partsOf(secret)])
          assert.isFalse(bytesBeside(backup).includes(part), part)

        await using without = await createPetstore({ storage: sqlite(backup) })
        await assertCode("secret_unreadable", without.webhooks.get(id))
        assert.isTrue((await without.verify()).ok)
        await using restored = await createPetstore({ storage: sqlite(backup), secretKey: next })
        assert.strictEqual((await restored.webhooks.get(id)).url, url)
        assert.isTrue((await restored.verify()).ok)
      })
    })
  )
})
