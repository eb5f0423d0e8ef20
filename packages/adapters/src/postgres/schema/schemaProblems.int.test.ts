import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import pg from "pg"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { testDatabase } from "../../../test/support/postgres.ts"
import { postgres } from "../postgres.ts"
import { migrationSql, schemaProblems } from "./migrationState.ts"

expectLogs(clearText)

const run = (url: string, statements: string) =>
  Effect.promise(async () => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return (await client.query(statements)).rows
    } finally {
      await client.end()
    }
  })

const fill = (url: string, schema: string) =>
  Effect.promise(async () => {
    const petstore = await createPetstore({ storage: postgres({ url, schema }) })
    const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
    const pet = await petstore.pets.create({ name: "Tom", categoryId })
    await petstore.orders.place({ petId: pet.id })
    await petstore.accounts.create({ name: "Shop" })
    await petstore.webhooks.create({ url: "https://example.com/hook" })
    await petstore.close()
  })

const problemsIn = (url: string, schema: string) =>
  Effect.map(schemaProblems({ url, schema }), (all) => all.map(({ problem }) => problem))

/**
 * What is broken by hand in the schema `shop`, and what is found then. Each list is done at once; the next one has what would
 * hide something of it, and the last one what is looked for only in tables that are as they should be.
 */
const damages: ReadonlyArray<ReadonlyArray<readonly [damage: string, found: ReadonlyArray<string>]>> = [
  [
    ["DROP INDEX shop.petstore_pets_live", ["the index petstore_pets_live is missing"]],
    [
      "DROP INDEX shop.petstore_orders_pet; CREATE INDEX petstore_orders_pet ON shop.petstore_orders (pet_id)",
      ["the index petstore_orders_pet has another definition"]
    ],
    [
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'shop.petstore_idempotency_age'::regclass",
      ["the index petstore_idempotency_age is invalid"]
    ],
    [
      "ALTER TABLE shop.petstore_messages DROP CONSTRAINT petstore_messages_status_check",
      ["the constraint petstore_messages_status_check of petstore_messages is missing"]
    ],
    [
      `ALTER TABLE shop.petstore_orders DROP CONSTRAINT petstore_orders_quantity_check;
     ALTER TABLE shop.petstore_orders ADD CONSTRAINT petstore_orders_quantity_check CHECK (quantity > 0)`,
      ["the constraint petstore_orders_quantity_check of petstore_orders has another definition"]
    ],
    [
      `ALTER TABLE shop.petstore_pets DROP CONSTRAINT petstore_pets_category_id_fkey;
     ALTER TABLE shop.petstore_pets ADD CONSTRAINT petstore_pets_category_id_fkey
       FOREIGN KEY (category_id) REFERENCES shop.petstore_categories (id) NOT VALID`,
      ["the constraint petstore_pets_category_id_fkey of petstore_pets is not validated"]
    ],
    [
      "ALTER TABLE shop.petstore_messages SET UNLOGGED",
      ["the table petstore_messages is unlogged: a crash of the server empties it"]
    ],
    [
      'CREATE RULE "no more" AS ON INSERT TO shop.petstore_messages DO INSTEAD NOTHING',
      ["the rule no more of petstore_messages does something else instead of what is written"]
    ],
    [
      "ALTER TABLE shop.petstore_orders RENAME CONSTRAINT petstore_orders_pkey TO orders_pkey",
      ["the constraint petstore_orders_pkey of petstore_orders has the name orders_pkey"]
    ],
    [
      "ALTER TABLE shop.petstore_movements DROP CONSTRAINT petstore_movements_order_id_fkey",
      ["the constraint petstore_movements_order_id_fkey of petstore_movements is missing"]
    ],
    [
      `CREATE SCHEMA other; CREATE TABLE other.petstore_pets (id bigint PRIMARY KEY); INSERT INTO other.petstore_pets VALUES (1);
     ALTER TABLE shop.petstore_orders DROP CONSTRAINT petstore_orders_pet_id_fkey;
     ALTER TABLE shop.petstore_orders ADD CONSTRAINT petstore_orders_pet_id_fkey
       FOREIGN KEY (pet_id) REFERENCES other.petstore_pets (id) NOT VALID`,
      ["the constraint petstore_orders_pet_id_fkey of petstore_orders has another definition"]
    ],
    [
      "ALTER TABLE shop.petstore_messages DROP CONSTRAINT petstore_messages_pkey",
      ["the constraint petstore_messages_pkey of petstore_messages is missing"]
    ],
    [
      "DROP TRIGGER petstore_movements_kept ON shop.petstore_movements",
      ["the trigger petstore_movements_kept of petstore_movements is missing"]
    ],
    [
      "ALTER TABLE shop.petstore_api_keys DISABLE TRIGGER petstore_api_keys_logged",
      ["the trigger petstore_api_keys_logged of petstore_api_keys is disabled"]
    ],
    [
      `DROP TRIGGER petstore_accounts_left ON shop.petstore_accounts;
     CREATE TRIGGER petstore_accounts_left AFTER TRUNCATE ON shop.petstore_accounts
       FOR EACH STATEMENT EXECUTE FUNCTION shop.petstore_reject('an account stays')`,
      ["the trigger petstore_accounts_left of petstore_accounts has another definition"]
    ],
    [
      "CREATE OR REPLACE FUNCTION shop.petstore_reject() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
      ["the function petstore_reject has another definition"]
    ],
    [
      "ALTER TABLE shop.petstore_categories ALTER COLUMN version TYPE integer",
      ["the column version of petstore_categories has the type integer, not bigint"]
    ],
    [
      `ALTER TABLE shop.petstore_pets ALTER COLUMN name TYPE text COLLATE "default"`,
      [`the column name of petstore_pets has the type text, not text COLLATE pg_catalog."C"`]
    ],
    [
      "ALTER TABLE shop.petstore_pets ALTER COLUMN version DROP NOT NULL",
      ["the column version of petstore_pets may be NULL"]
    ],
    [
      "ALTER TABLE shop.petstore_api_keys ALTER COLUMN expires_at SET NOT NULL",
      ["the column expires_at of petstore_api_keys may not be NULL"]
    ],
    [
      "ALTER TABLE shop.petstore_pending ALTER COLUMN xid DROP DEFAULT",
      ["the column xid of petstore_pending has no default"]
    ],
    [
      "ALTER TABLE shop.petstore_orders ALTER COLUMN id DROP IDENTITY",
      ["the column id of petstore_orders has no sequence"]
    ],
    [
      "ALTER SEQUENCE shop.petstore_pets_id_seq MAXVALUE 100000 CYCLE",
      ["the sequence of the column id of petstore_pets has other settings"]
    ],
    [
      `ALTER TABLE shop.petstore_pending ADD COLUMN "Tenant" text NOT NULL`,
      ["the column Tenant of petstore_pending needs a value, which the petstore does not give"]
    ],
    [
      "ALTER TABLE shop.petstore_api_keys DROP COLUMN last_used_at",
      ["the column last_used_at of petstore_api_keys is missing; its values are lost"]
    ],
    [
      "ALTER TABLE shop.petstore_host_calls DROP COLUMN token CASCADE",
      [
        "the column token of petstore_host_calls is missing; its values are lost, and rows need them: restore a backup",
        "the constraint petstore_host_calls_pkey of petstore_host_calls is missing"
      ]
    ],
    [
      "DROP TABLE shop.petstore_log_end",
      [
        "the table petstore_log_end is missing; its rows are lost",
        "the constraint petstore_log_end_pkey of petstore_log_end is missing",
        "the constraint petstore_log_end_last_check of petstore_log_end is missing",
        "the constraint petstore_log_end_one_check of petstore_log_end is missing"
      ]
    ]
  ],
  [
    [
      "ALTER TABLE shop.petstore_pets ALTER COLUMN id SET GENERATED ALWAYS",
      ["the column id of petstore_pets takes no ids that are given"]
    ],
    [
      "ALTER TABLE shop.petstore_orders DISABLE TRIGGER ALL",
      [
        "the constraint petstore_endings_order_id_fkey of petstore_endings is not enforced",
        "the constraint petstore_orders_pet_id_fkey of petstore_orders is not enforced",
        "the constraint petstore_movements_order_id_fkey of petstore_movements is not enforced"
      ]
    ],
    [
      `CREATE SCHEMA others;
     CREATE FUNCTION others.petstore_reject() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
     DROP TRIGGER petstore_accounts_left ON shop.petstore_accounts;
     CREATE TRIGGER petstore_accounts_left BEFORE TRUNCATE ON shop.petstore_accounts
       FOR EACH STATEMENT EXECUTE FUNCTION others.petstore_reject('an account stays')`,
      ["the trigger petstore_accounts_left of petstore_accounts has another definition"]
    ],
    [
      "ALTER SEQUENCE shop.petstore_orders_id_seq INCREMENT BY -1",
      ["the sequence of the column id of petstore_orders has other settings"]
    ]
  ],
  [
    ["SELECT setval('shop.petstore_pets_id_seq', 1, false)", ["the sequence of petstore_pets is behind its rows"]],
    [
      "SELECT setval('shop.petstore_webhooks_id_seq', 1, false)",
      ["the sequence of petstore_webhooks is behind its rows"]
    ],
    [
      "SELECT setval('shop.petstore_access_log_seq_seq', 1, false)",
      ["the sequence of petstore_access_log is behind its rows"]
    ],
    ["UPDATE shop.petstore_log_end SET last = 1", ["petstore_log_end does not have the number of the last event"]]
  ]
]

describe("given a schema in PostgreSQL that was changed by hand", () => {
  it.live("when it is damaged in any of these ways, then doctor and verify name it, and the statements mend it", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* fill(url, "shop")
      assert.deepStrictEqual(yield* problemsIn(url, "shop"), [])
      const adapter = postgres({ url, schema: "shop", migrate: false })
      for (const together of damages) {
        for (const [damage] of together) yield* run(url, damage)
        const found = together.flatMap(([, names]) => names)
        const problems = yield* schemaProblems({ url, schema: "shop" })
        assert.deepStrictEqual(problems.map(({ problem }) => problem).sort(), found.toSorted())
        const inspected = yield* Effect.scoped(
          Effect.flatMap(Layer.build(adapter.layer), (context) => {
            const { detachedSnapshot, inspect } = Context.get(context, Storage)
            return detachedSnapshot?.(inspect) ?? assert.fail()
          })
        )
        assert.includeMembers(
          [...inspected],
          found.filter((name) => !/behind its rows$|^petstore_log_end/.test(name))
        )
        yield* run(url, problems.flatMap(({ statements }) => statements).join("\n"))
        assert.deepStrictEqual(yield* problemsIn(url, "shop"), [])
        // It works as before.
        yield* Effect.promise(async () => {
          await using petstore = await createPetstore({ storage: adapter })
          const pet = await petstore.pets.create({ name: "Next", categoryId: 1 })
          const order = await petstore.orders.place({ petId: pet.id, shipDate: "2030-01-01T00:00:00Z" })
          await petstore.orders.complete(order.id)
          assert.isTrue((await petstore.verify()).ok)
        })
      }
    })
  )

  it.live(
    "when other programs have triggers on its tables, then doctor names those that may change what is written",
    () =>
      Effect.gen(function* () {
        const url = yield* testDatabase
        yield* fill(url, "shop")
        const trigger = (name: string, moment: string) =>
          `CREATE TRIGGER "${name}" ${moment} ON shop.petstore_pets FOR EACH ROW EXECUTE FUNCTION shop.same();`
        yield* run(
          url,
          `CREATE FUNCTION shop.same() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
           ${trigger("Upper case", "BEFORE INSERT OR UPDATE")}
           ${trigger("disabled", "BEFORE DELETE")}
           ALTER TABLE shop.petstore_pets DISABLE TRIGGER disabled;
           ${trigger("after", "AFTER INSERT")}
           CREATE TRIGGER statement BEFORE INSERT ON shop.petstore_pets EXECUTE FUNCTION shop.same();`
        )
        const problems = yield* schemaProblems({ url, schema: "shop" })
        assert.deepStrictEqual(
          problems.map(({ problem }) => problem),
          [
            "the trigger Upper case of petstore_pets may change or skip rows before they are written; to reject them, use an AFTER trigger"
          ]
        )
        yield* run(url, problems.flatMap(({ statements }) => statements).join("\n"))
        assert.deepStrictEqual(yield* problemsIn(url, "shop"), [])
      })
  )

  it.live("when the role may only use its schema, then the same is found", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const role = `plain_${Math.random().toString(36).slice(2)}`
      yield* Effect.acquireRelease(
        run(url, `CREATE ROLE ${role} LOGIN PASSWORD 'plain'; CREATE SCHEMA "a 'shop'" AUTHORIZATION ${role}`),
        () => run(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`)
      )
      const plain = new URL(url)
      plain.username = role
      plain.password = "plain"
      yield* fill(plain.href, "a 'shop'")
      assert.deepStrictEqual(yield* problemsIn(plain.href, "a 'shop'"), [])
      yield* run(url, `DROP INDEX "a 'shop'".petstore_pets_live; UPDATE "a 'shop'".petstore_log_end SET last = 0`)
      const hidden = `ALTER TABLE "a 'shop'".petstore_pets ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY`
      yield* run(url, hidden)
      const problems = yield* schemaProblems({ url: plain.href, schema: "a 'shop'" })
      assert.sameMembers(
        problems.map(({ problem }) => problem),
        ["row-level security hides rows of petstore_pets", "the index petstore_pets_live is missing"]
      )
      yield* run(plain.href, problems.flatMap(({ statements }) => statements).join("\n"))
      const rest = yield* schemaProblems({ url: plain.href, schema: "a 'shop'" })
      assert.match(rest[0]?.problem ?? "", /log_end/)
      yield* run(plain.href, rest.flatMap(({ statements }) => statements).join("\n"))
      assert.deepStrictEqual(yield* problemsIn(plain.href, "a 'shop'"), [])
    })
  )

  it.live("when it is older, or of a newer release, then what to do is said", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      assert.match((yield* problemsIn(url, "shop"))[0] ?? "", /lacks the migrations 1.*: run petstore migrate/)
      yield* fill(url, "shop")
      yield* run(url, "INSERT INTO shop.petstore_migrations VALUES (99, 'later', 'x', '2099-01-01T00:00:00.000Z', 1)")
      assert.deepStrictEqual(yield* problemsIn(url, "shop"), [
        "a newer release has migrated the schema: run its petstore doctor"
      ])
    })
  )
})

describe("given the SQL of a migration", () => {
  it.live("when it was printed, then nothing has changed; and when another role runs it, then the store opens", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const options = { url, schema: "it's $$" }
      const sql = yield* migrationSql(options)
      assert.match(sql ?? "", /^BEGIN;\n/)
      assert.deepStrictEqual(yield* run(url, "SELECT 1 FROM pg_namespace WHERE nspname = 'it''s $$'"), [])
      yield* run(url, sql ?? "")
      assert.isUndefined(yield* migrationSql(options))
      const petstore = yield* Effect.promise(() =>
        createPetstore({ storage: postgres({ ...options, migrate: false }) })
      )
      assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
      yield* Effect.promise(() => petstore.close())
      const applied = yield* run(url, `SELECT applied_at FROM "it's $$".petstore_migrations`)
      for (const { applied_at } of applied) {
        assert.strictEqual(new Date(String(applied_at)).toISOString(), applied_at)
      }
    })
  )
})
