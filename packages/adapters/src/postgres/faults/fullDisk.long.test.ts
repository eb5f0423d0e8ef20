import { chmodSync, rmSync, statfsSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { assertInvariants, assertRejects } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { openPostgres, petToSell } from "../../../test/support/postgres/openPostgres.ts"
import { postgresServer, query, testDatabase, testDatabaseOf } from "../../../test/support/postgres.ts"
import { diskOf } from "../../../test/support/smallDisk.ts"

describe("given a petstore on a PostgreSQL whose disk is full", () => {
  it.effect("when the server reports no space, then writes fail as full, reads succeed, and it heals", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      const petstore = yield* openPostgres(url)
      const petId = yield* Effect.promise(() => petToSell(petstore))
      yield* Effect.promise(async () => {
        await query(
          url,
          `CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS
             'BEGIN RAISE EXCEPTION ''could not extend file: No space left on device'' USING ERRCODE = ''53100''; END';
           CREATE TRIGGER full_disk BEFORE INSERT ON petstore.petstore_orders FOR EACH ROW EXECUTE FUNCTION full_disk()`
        )
        await assertRejects(petstore.orders.place({ petId }), "storage_full")
        await petstore.pets.get(petId)
        await query(url, "DROP TRIGGER full_disk ON petstore.petstore_orders")
        await petstore.orders.place({ petId })
        await assertInvariants(petstore)
      })
    })
  )

  it.effect("when its orders have no more space, then each is confirmed or fails as full, and none is lost", (test) =>
    Effect.gen(function* () {
      const disk = yield* diskOf(8)
      if (disk === undefined) return test.skip("this process may not mount a small disk: run the tests as root")
      const server = yield* postgresServer({ inMemory: true })
      server.own(disk)
      chmodSync(dirname(disk), 0o755)
      const url = yield* testDatabaseOf({ server: server.url() })
      const petstore = yield* openPostgres(url)
      const petId = yield* Effect.promise(() => petToSell(petstore, 1_000_000))
      yield* Effect.promise(async () => {
        await query(url, `CREATE TABLESPACE small LOCATION '${disk}'`)
        await query(url, "ALTER TABLE petstore.petstore_orders SET TABLESPACE small")
        const ballast = join(disk, "ballast")
        const { bavail, bsize } = statfsSync(disk)
        writeFileSync(ballast, new Uint8Array(bavail * bsize))
        const placed: Array<number> = []
        const codes = new Set<string>()
        const sell = () =>
          petstore.orders.place({ petId }).then(
            ({ id }) => placed.push(id),
            ({ code }) => codes.add(code)
          )
        while (codes.size === 0) await Promise.all(Array.from({ length: 50 }, sell))
        assert.deepStrictEqual([...codes], ["storage_full"])
        await petstore.pets.get(petId)
        rmSync(ballast)
        codes.clear()
        await Promise.all(Array.from({ length: 50 }, sell))
        assert.strictEqual(codes.size, 0)
        const rows = await query(url, "SELECT id FROM petstore.petstore_orders")
        assert.sameMembers(
          rows.map(({ id }) => Number(id)),
          placed
        )
        await assertInvariants(petstore)
        await petstore.close()
        await query(url, "ALTER TABLE petstore.petstore_orders SET TABLESPACE pg_default")
      })
    })
  )
})
