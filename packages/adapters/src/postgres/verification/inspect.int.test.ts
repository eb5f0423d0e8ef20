import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"

/** Damage, as statements of a superuser, and what `verify` says of it. */
const damages: ReadonlyArray<readonly [what: string, sql: string, problem: RegExp]> = [
  [
    "a trigger is disabled",
    "ALTER TABLE petstore_events DISABLE TRIGGER petstore_events_kept",
    /the trigger petstore_events_kept of petstore_events is disabled/
  ],
  [
    "a constraint is not validated",
    `ALTER TABLE petstore_messages ADD CONSTRAINT long CHECK (length(message) > 0) NOT VALID`,
    /the constraint long of petstore_messages is not validated/
  ],
  [
    "an index is invalid",
    "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'petstore.petstore_pets_live'::regclass",
    /the index petstore_pets_live is invalid/
  ],
  [
    "a migration is recorded in another form",
    "UPDATE petstore_migrations SET checksum = 'x' WHERE id = 1",
    /the migration 1 is not recorded as it was applied/
  ],
  [
    "the result of an idempotency key has a blank behind it",
    "UPDATE petstore_idempotency SET answer = answer || ' '",
    /"key":"dogs","operation":"categories.create"/
  ],
  [
    "the scopes of a key have a blank before them",
    "UPDATE petstore_api_keys SET scopes = ' ' || scopes WHERE id = 1",
    /rows of api_keys have blanks around their scopes/
  ],
  [
    "a migration is recorded without a time",
    "UPDATE petstore_migrations SET applied_at = 'yesterday' WHERE id = 1",
    /the migration 1 is not recorded as it was applied/
  ],
  [
    "a pet has a category that does not exist",
    "UPDATE petstore_pets SET category_id = 99 WHERE id = 1",
    /1 rows of pets/
  ],
  ["an order has a pet that does not exist", "UPDATE petstore_orders SET pet_id = 99 WHERE id = 1", /1 rows of orders/],
  [
    "a movement has an order that does not exist",
    "UPDATE petstore_movements SET order_id = 99 WHERE order_id = 1",
    /rows of movements/
  ],
  [
    "the log ends elsewhere",
    "UPDATE petstore_log_end SET last = last + 1",
    /the log ends with event \d+, not with \d+/
  ],
  [
    "two events have one id",
    "UPDATE petstore_events SET id = (SELECT id FROM petstore_events WHERE seq = 1) WHERE seq = 2",
    /2 events have the id/
  ],
  [
    "an account has another name",
    "UPDATE petstore_accounts SET name = 'Stall' WHERE id = 1",
    /accounts\/1 differs from the access log/
  ],
  ["an account is gone", "DELETE FROM petstore_accounts WHERE id = 2", /accounts\/2 is missing/],
  ["a key has other scopes", `UPDATE petstore_api_keys SET scopes = '["admin"]' WHERE id = 1`, /api-keys\/1 differs/],
  [
    "a key is not in the log",
    "DELETE FROM petstore_access_log WHERE subject = 'api-keys/1'",
    /api-keys\/1 is not in the access log/
  ],
  [
    "a change of a key is gone from the log",
    "DELETE FROM petstore_access_log WHERE subject = 'api-keys/2' AND version = 1",
    /the change 2 of api-keys\/2 in the access log is impossible/
  ],
  [
    "a revoked key works again",
    `UPDATE petstore_api_keys SET revoked = false WHERE id = 2;
      INSERT INTO petstore_access_log (subject, version, state)
        SELECT subject, version + 1, replace(state::text, 'true', 'false')::json FROM petstore_access_log
        WHERE subject = 'api-keys/2' ORDER BY version DESC LIMIT 1`,
    /the change 3 of api-keys\/2 in the access log is impossible/
  ]
]

describe("given a database that somebody has changed past every wall", () => {
  it.live("then verify reports each change, and nothing before it", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: postgres(url) })),
        (opened) => Effect.promise(() => opened.close())
      )
      yield* Effect.promise(async () => {
        await petstore.categories.create({ name: "Dogs" }, { idempotencyKey: "dogs" })
        await petstore.pets.create({ name: "Rex", categoryId: 1 })
        await petstore.orders.place({ petId: 1 })
        const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
        await petstore.accounts.create({ name: "Empty" })
        await petstore.apiKeys.create({ accountId, name: "Till", preset: "write" })
        await petstore.apiKeys.create({ accountId, name: "Lost", preset: "read" })
        await petstore.apiKeys.revoke(2)
        const damage = (sql: string) =>
          query(url, `SET search_path = petstore, public; SET session_replication_role = replica; ${sql}`)
        const reported = async () => {
          const { checks } = await petstore.verify()
          return checks.flatMap(({ examples }) => examples.map((example) => JSON.stringify(example))).join("\n")
        }
        assert.strictEqual(await reported(), "")
        const tables = [
          "messages",
          "migrations",
          "pets",
          "orders",
          "movements",
          "events",
          "log_end",
          "idempotency",
          "accounts",
          "api_keys",
          "access_log"
        ]
        for (const [what, sql, problem] of damages) {
          for (const table of tables) await damage(`CREATE TABLE kept_${table} AS TABLE petstore_${table}`)
          await damage(sql)
          assert.match(await reported(), problem, what)
          for (const table of tables) {
            await damage(
              `DELETE FROM petstore_${table}; INSERT INTO petstore_${table} TABLE kept_${table}; DROP TABLE kept_${table}`
            )
          }
          await damage(`ALTER TABLE petstore_events ENABLE TRIGGER petstore_events_kept;
            ALTER TABLE petstore_messages DROP CONSTRAINT IF EXISTS long;
            UPDATE pg_index SET indisvalid = true WHERE indexrelid = 'petstore.petstore_pets_live'::regclass`)
          assert.strictEqual(await reported(), "", `after the damage that ${what} was mended`)
        }
      })
    })
  )
})
