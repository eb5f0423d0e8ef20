import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"
import pg from "pg"
import { query, sharedServer, testDatabase, testDatabaseOf } from "./testDatabase.ts"

const rows = (url: string, text: string) => Effect.promise(() => query(url, text))

const databases = Effect.flatMap(sharedServer, (url) => rows(url, "SELECT datname FROM pg_database"))

describe("given the server that the tests share", () => {
  it.effect("when tests ask for databases, then each is empty and belongs to one test", () =>
    Effect.gen(function* () {
      const [first, second] = yield* Effect.all([testDatabase, testDatabase], { concurrency: 2 })
      yield* rows(first, "CREATE TABLE pets (id int)")
      const tables = "SELECT relname FROM pg_class WHERE relname = 'pets'"
      expect(yield* rows(first, tables)).toHaveLength(1)
      expect(yield* rows(second, tables)).toHaveLength(0)
    })
  )

  it.effect("when the scope ends, then the database is gone, also while somebody is connected", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const url = yield* Scope.provide(testDatabase, scope)
      const name = new URL(url).pathname.slice(1)
      expect(yield* databases).toContainEqual({ datname: name })
      const client = new pg.Client(url)
      client.on("error", () => {})
      yield* Effect.promise(() => client.connect())
      yield* Scope.close(scope, Exit.void)
      expect(yield* databases).not.toContainEqual({ datname: name })
    })
  )

  it.effect("when a database is the template of another, then its tables are in both", () =>
    Effect.gen(function* () {
      const template = yield* testDatabase
      yield* rows(template, "CREATE TABLE pets AS SELECT 7 AS id")
      const copy = yield* testDatabaseOf({ template })
      yield* rows(copy, "UPDATE pets SET id = 8")
      expect(yield* rows(copy, "SELECT id FROM pets")).toEqual([{ id: 8 }])
      expect(yield* rows(template, "SELECT id FROM pets")).toEqual([{ id: 7 }])
    })
  )

  const reason = process.env.PETSTORE_TEST_POSTGRES_URL ? " (skipped: PETSTORE_TEST_POSTGRES_URL names the server)" : ""
  it.effect.skipIf(reason !== "")(`when text is compared, then it is by the rules of a language${reason}`, () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      expect(yield* rows(url, "SELECT 'a' < 'B' AS sorted, 'a' < 'B' COLLATE \"C\" AS bytes")).toEqual([
        { sorted: true, bytes: false }
      ])
    })
  )
})
