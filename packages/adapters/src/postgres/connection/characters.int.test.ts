import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { openPostgres } from "../../../test/support/postgres/openPostgres.ts"
import { query, testDatabase } from "../../../test/support/postgres.ts"
import { postgres, schemaProblems } from "../index.ts"

const other = "other_encoding"

describe("given a database whose encoding does not have every character", () => {
  it.live("when it is opened, then that fails before anything is created", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      yield* Effect.acquireRelease(
        Effect.promise(() =>
          query(url, `CREATE DATABASE ${other} TEMPLATE template0 ENCODING LATIN1 LOCALE_PROVIDER libc LOCALE 'C'`)
        ),
        () => Effect.promise(() => query(url, `DROP DATABASE ${other} WITH (FORCE)`))
      )
      const place = new URL(url)
      place.pathname = `/${other}`
      yield* Effect.promise(async () => {
        for (const migrate of [true, false]) {
          const error = await createPetstore({ storage: postgres({ url: place.href, migrate }) }).catch(
            (cause) => cause
          )
          assert.strictEqual(error.code, "internal_error")
          assert.match(error.message, /^The encoding of the database is LATIN1; the petstore needs UTF8/)
        }
        const diagnosis = await Effect.runPromise(Effect.flip(schemaProblems(place.href)))
        assert.match(diagnosis.message, /the petstore needs UTF8, .* Create a database with ENCODING 'UTF8'/)
        assert.deepStrictEqual(await query(place.href, "SELECT 1 FROM pg_namespace WHERE nspname = 'petstore'"), [])
      })
    })
  )
})

describe("given a trigger of the app that converts texts to another encoding", () => {
  it.live("when a text has a character that this one lacks, then only the call with it is rejected as invalid", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres(url)
      yield* Effect.promise(async () => {
        await query(
          url,
          `CREATE FUNCTION to_latin() RETURNS trigger LANGUAGE plpgsql AS $$
            BEGIN PERFORM convert_to(NEW.name, 'LATIN1'); RETURN NULL; END $$;
          CREATE TRIGGER to_latin AFTER INSERT ON petstore.petstore_pets FOR EACH ROW EXECUTE FUNCTION to_latin()`
        )
        const { id: categoryId } = await petstore.categories.create({ name: "Cats" })
        const create = (name: string) =>
          petstore.pets.create({ name, categoryId }).then(
            () => "created",
            ({ code }) => code
          )
        assert.deepStrictEqual(await Promise.all(["Tom", "\u732b"].map(create)), ["created", "validation_failed"])
        assert.deepStrictEqual(
          (await petstore.pets.list()).items.map(({ name }) => name),
          ["Tom"]
        )
      })
    })
  )
})
