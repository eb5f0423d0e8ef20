import { readdirSync } from "node:fs"
import { readFile, writeFile } from "node:fs/promises"
import { gunzipSync } from "node:zlib"
import { assert, describe, it } from "@effect/vitest"
import { postgres } from "@petstore/adapters/postgres"
import { sqlite } from "@petstore/adapters/sqlite"
import type { StorageAdapter } from "@petstore/core"
import { Event } from "@petstore/core/domain"
import { openApiDocument } from "@petstore/http/openapi"
import { testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { query, testDatabase } from "../../packages/adapters/test/support/postgres.ts"
import { temporaryFile } from "../../packages/adapters/test/support/temporary.ts"
import { collect } from "../../packages/core/testing/src/petstore/inspect.ts"
import { announcementsFile, dayOf } from "../openapi/accepted.ts"
import { compareDocuments } from "../openapi/compareDocuments.ts"
import { secretKey } from "./history.ts"

const here = new URL("./", import.meta.url)
const releases = readdirSync(here, { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [entry.name] : []
)

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Event))

/** What a store contains, and whether it is intact before and after it sells something. */
const examine = async (storage: StorageAdapter) => {
  await using petstore = await testPetstore({ storage, secretKey, now: "2030-01-02T00:00:00Z" })
  const { accounts, apiKeys, categories, events, inventory, messages, orders, pets, records, webhooks } = petstore
  const before = await petstore.verify()
  const log = await collect(events.all())
  const shown = {
    accounts: (await accounts.list()).items.map(({ name }) => name),
    apiKeys: (await apiKeys.list()).items.map(({ name, scopes }) => [name, scopes]),
    categories: (await categories.list()).items,
    inventory: (await inventory.list()).items,
    messages: (await messages.list()).items.map(({ message, status }) => [message, status]),
    orders: (await orders.list()).items,
    pets: (await pets.list()).items,
    record: (await records.getByExternalId("pets", "sku-7")).metadata,
    // Encrypted in the store.
    webhooks: (await webhooks.list()).items.map(({ url }) => url),
    deliveries: (await webhooks.deliveries(1)).items.map(({ seq }) => seq),
    consumer: (await events.consumers.get("invoices")).position
  }
  const { id: repeated } = await orders.place({ petId: 1, quantity: 2 }, { idempotencyKey: "cart-1" })
  await orders.place({ petId: 1 })
  const { checks } = await petstore.verify()
  return { problems: [...before.checks, ...checks].filter(({ violations }) => violations > 0), log, shown, repeated }
}

for (const release of releases) {
  const kept = (name: string): Promise<Buffer> => readFile(new URL(`${release}/${name}`, here))

  const linesOf = async (name: string): Promise<ReadonlyArray<string>> =>
    String(await kept(name))
      .trimEnd()
      .split("\n")

  const sqliteStore = Effect.gen(function* () {
    const file = yield* temporaryFile
    yield* Effect.promise(async () => writeFile(file, gunzipSync(await kept("sqlite.db.gz"))))
    return sqlite(file)
  })

  const postgresStore = Effect.gen(function* () {
    const url = yield* testDatabase
    yield* Effect.promise(async () => query(url, String(await kept("postgres.sql"))))
    return postgres(url)
  })

  describe(`given what release ${release} kept`, () => {
    it.effect("when its stores are opened, then they have what they had, are intact, and sell on", () =>
      Effect.gen(function* () {
        const inFile = yield* Effect.flatMap(sqliteStore, (storage) => Effect.promise(() => examine(storage)))
        const inDatabase = yield* Effect.flatMap(postgresStore, (storage) => Effect.promise(() => examine(storage)))
        for (const [name, { log, problems, repeated }] of Object.entries({ sqlite: inFile, postgres: inDatabase })) {
          assert.deepStrictEqual(problems, [])
          assert.strictEqual(repeated, 1)
          const events = yield* Effect.promise(() => linesOf(`${name}.ndjson`))
          assert.deepStrictEqual(
            log.map((event) => JSON.stringify(event)),
            events
          )
        }
        assert.deepStrictEqual(inDatabase.shown, inFile.shown)
      })
    )

    for (const name of ["sqlite.ndjson", "postgres.ndjson"]) {
      it(`when ${name} is read, then all are events of this release`, async () => {
        const events = (await linesOf(name)).map((line) => decode(JSON.parse(line)))
        assert.deepStrictEqual(
          events.map(({ seq }) => seq),
          events.map((_, index) => index + 1)
        )
      })
    }

    it("when its REST API is compared with that of this release, then each breaking change is announced", async () => {
      const old = JSON.parse(String(gunzipSync(await kept("openapi.json.gz"))))
      const announced = await readFile(announcementsFile, "utf8")
      const breaking = compareDocuments(old, openApiDocument(), dayOf(new Date())).filter(({ breaking }) => breaking)
      const unannounced = breaking.filter(({ what, where }) => !announced.includes(`- \`${where}: ${what}\``))
      assert.deepStrictEqual(unannounced, [])
    })
  })
}
