import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import type { HostDatabase, SqliteOptions } from "@petstore/adapters/sqlite"
import type { EmbeddedCallOptions, Petstore, PetstoreApi } from "@petstore/core"
import { expectTypeOf } from "vitest"
import { isHostDatabase } from "./HostDatabase.ts"

type OptionsOf<P extends PetstoreApi> = NonNullable<Parameters<P["orders"]["cancel"]>[1]>

describe("given the types of a host's database", () => {
  it("then a DatabaseSync of node:sqlite is one", () => {
    expectTypeOf<DatabaseSync>().toExtend<HostDatabase>()
    expectTypeOf<{ readonly database: DatabaseSync }>().toExtend<SqliteOptions>()
    const database = new DatabaseSync(":memory:")
    assert.isTrue(isHostDatabase(database))
    database.close()
    assert.isTrue(isHostDatabase(database))
  })

  it("then options name a file or a database, not both", () => {
    expectTypeOf<{ readonly file: string; readonly database: DatabaseSync }>().not.toExtend<SqliteOptions>()
    expectTypeOf<{ readonly migrate: boolean }>().not.toExtend<SqliteOptions>()
    assert.isFalse(isHostDatabase({}))
  })

  it("then petstores in process take transactions, remote ones do not, and the first can stand for the second", () => {
    expectTypeOf<Petstore>().toExtend<PetstoreApi>()
    expectTypeOf<"transaction">().toExtend<keyof OptionsOf<Petstore>>()
    expectTypeOf<"transaction">().not.toExtend<keyof OptionsOf<PetstoreApi>>()
    expectTypeOf<DatabaseSync>().toExtend<NonNullable<EmbeddedCallOptions["transaction"]>>()
    expectTypeOf<string>().not.toExtend<NonNullable<EmbeddedCallOptions["transaction"]>>()
    assert.isFalse(isHostDatabase([]))
  })
})
