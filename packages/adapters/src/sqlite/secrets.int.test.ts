import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { ApiKeyToken } from "@petstore/core/domain"
import * as Effect from "effect/Effect"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

/** Every byte of the database, the files beside it included. */
const bytesBeside = (file: string): string =>
  readdirSync(dirname(file))
    .map((name) => readFileSync(join(dirname(file), name), "latin1"))
    .join("\n")

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
