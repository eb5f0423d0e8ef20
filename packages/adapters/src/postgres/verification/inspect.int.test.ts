import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { query, testDatabase, testDatabaseOf } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

/**
 * Damage, as statements of a superuser, and what is found of it. Each list is done at once; the next one has what would hide
 * something of it.
 */
const damages: ReadonlyArray<ReadonlyArray<readonly [sql: string, problem: RegExp]>> = [
  [
    [
      "ALTER TABLE petstore_events DISABLE TRIGGER petstore_events_kept",
      /the trigger petstore_events_kept of petstore_events is disabled/
    ],
    [
      "ALTER TABLE petstore_messages ADD CONSTRAINT long CHECK (length(message) > 0) NOT VALID",
      /the constraint long of petstore_messages is not validated/
    ],
    [
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'petstore.petstore_pets_live'::regclass",
      /the index petstore_pets_live is invalid/
    ],
    ["UPDATE petstore_migrations SET checksum = 'x' WHERE id = 1", /the migration 1 is not recorded as it was applied/],
    [
      "UPDATE petstore_api_keys SET scopes = ' ' || scopes WHERE id = 1",
      /rows of api_keys have blanks around their scopes/
    ],
    ["UPDATE petstore_idempotency SET answer = answer || ' '", /"key":"dogs","operation":"categories.create"/],
    ["UPDATE petstore_pets SET category_id = 99 WHERE id = 1", /1 rows of pets/],
    ["UPDATE petstore_orders SET pet_id = 99 WHERE id = 1", /1 rows of orders/],
    ["UPDATE petstore_movements SET order_id = 99 WHERE order_id = 1", /rows of movements/],
    ["UPDATE petstore_log_end SET last = last + 1", /the log ends with event \d+, not with \d+/],
    [
      "UPDATE petstore_events SET id = (SELECT id FROM petstore_events WHERE seq = 1) WHERE seq = 2",
      /2 events have the id/
    ],
    ["UPDATE petstore_accounts SET name = 'Stall' WHERE id = 1", /accounts\/1 differs from the access log/],
    ["DELETE FROM petstore_accounts WHERE id = 2", /accounts\/2 is missing/],
    [
      `UPDATE petstore_api_keys SET revoked = false WHERE id = 2;
        INSERT INTO petstore_access_log (subject, version, state)
          SELECT subject, version + 1, replace(state::text, 'true', 'false')::json FROM petstore_access_log
          WHERE subject = 'api-keys/2' ORDER BY version DESC LIMIT 1`,
      /the change 3 of api-keys\/2 in the access log is impossible/
    ]
  ],
  [
    [
      "UPDATE petstore_migrations SET applied_at = 'yesterday' WHERE id = 1",
      /the migration 1 is not recorded as it was applied/
    ],
    ["DELETE FROM petstore_access_log WHERE subject = 'api-keys/1'", /api-keys\/1 is not in the access log/],
    [
      "DELETE FROM petstore_access_log WHERE subject = 'api-keys/2' AND version = 1",
      /the change 2 of api-keys\/2 in the access log is impossible/
    ]
  ],
  [[`UPDATE petstore_api_keys SET scopes = '["admin"]' WHERE id = 1`, /api-keys\/1 differs/]]
]

const furnished = Effect.gen(function* () {
  const url = yield* testDatabase
  yield* Effect.promise(async () => {
    await using petstore = await createPetstore({ storage: postgres(url) })
    await petstore.categories.create({ name: "Dogs" }, { idempotencyKey: "dogs" })
    await petstore.pets.create({ name: "Rex", categoryId: 1 })
    await petstore.orders.place({ petId: 1 })
    const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
    await petstore.accounts.create({ name: "Empty" })
    await petstore.apiKeys.create({ accountId, name: "Till", preset: "write" })
    await petstore.apiKeys.create({ accountId, name: "Lost", preset: "read" })
    await petstore.apiKeys.revoke(2)
  })
  return url
})

const reported = async (petstore: Petstore): Promise<string> => {
  const { checks } = await petstore.verify()
  return checks.flatMap(({ examples }) => examples.map((example) => JSON.stringify(example))).join("\n")
}

describe("given a database that somebody has changed past every wall", () => {
  it.live("then verify reports each change, and nothing before it", () =>
    Effect.gen(function* () {
      const template = yield* furnished
      for (const together of damages) {
        const url = yield* testDatabaseOf({ template })
        const statements = together.map(([sql]) => sql).join(";")
        yield* Effect.promise(async () => {
          await using petstore = await createPetstore({ storage: postgres(url) })
          assert.strictEqual(await reported(petstore), "")
          await query(url, `SET search_path = petstore, public; SET session_replication_role = replica; ${statements}`)
          const found = await reported(petstore)
          for (const [, problem] of together) assert.match(found, problem)
        })
      }
    })
  )
})
