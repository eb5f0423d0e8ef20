import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../../core/test/support/expectLogs.ts"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { postgresServer, query } from "../../../test/support/postgres.ts"

expectLogs(clearText)

/** What makes the server fail with a state, and how the call that has caused it fails. */
const faults: Readonly<Record<string, readonly [statement: string, code: string, message: RegExp]>> = {
  "a byte that is no character (22021)": [
    "PERFORM convert_from('\\xff'::bytea, 'UTF8')",
    "validation_failed",
    /has a character that the database cannot store/
  ],
  "a character that an encoding lacks (22P05)": [
    "PERFORM convert_to(chr(29483), 'LATIN1')",
    "validation_failed",
    /has a character that the database cannot store/
  ],
  "a value that is larger than the server allows (54000)": [
    "PERFORM repeat('x', 2000000000)",
    "storage_unavailable",
    /has reached a limit of its own/
  ],
  "more locks than the server has memory for (53200)": [
    "PERFORM pg_advisory_xact_lock(n) FROM generate_series(1, 1000000) AS n",
    "storage_busy",
    /is out of memory/
  ]
}

describe("given a database server that fails", () => {
  it.live("when the cause is one of its limits, then the call fails with the remedy, and the next one succeeds", () =>
    Effect.gen(function* () {
      // Few locks, so that they are soon used up.
      const settings = { max_connections: 20, max_locks_per_transaction: 10 }
      const url = (yield* postgresServer({ inMemory: true, settings })).url()
      const petstore = yield* openPostgres(url)
      yield* Effect.promise(async () => {
        await petstore.categories.create({ name: "Cats" })
        for (const [fault, [statement, code, message]] of Object.entries(faults)) {
          await query(
            url,
            `CREATE OR REPLACE FUNCTION failing() RETURNS trigger LANGUAGE plpgsql AS $$
              BEGIN IF NEW.name = 'Tom' THEN ${statement}; END IF; RETURN NULL; END $$;
            CREATE OR REPLACE TRIGGER failing AFTER INSERT ON petstore.petstore_pets
              FOR EACH ROW EXECUTE FUNCTION failing()`
          )
          const error = await petstore.pets.create({ name: "Tom", categoryId: 1 }).catch((cause) => cause)
          assert.strictEqual(error.code, code, fault)
          assert.match(error.message, message, fault)
          await petstore.pets.create({ name: "Tiger", categoryId: 1 })
        }
        assert.lengthOf((await petstore.pets.list()).items, Object.keys(faults).length)
      })
    })
  )
})
