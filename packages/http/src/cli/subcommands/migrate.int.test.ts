import { existsSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { test } from "../../../test/support/cliTest.ts"

describe("petstore migrate", () => {
  test("given no database, then it is a usage error, because the path may be mistyped, and no file is created", ({
    file,
    run
  }) =>
    Effect.gen(function* () {
      const message = `petstore: The database ${JSON.stringify(file)} does not exist; correct its path, or create it with --create.`
      assert.deepStrictEqual(yield* run("migrate"), { code: 2, stdout: [], stderr: [message] })
      assert.isFalse(existsSync(file))
    }))

  test("given no database, when it may create one, then every migration is listed with its time", ({ file, output }) =>
    Effect.gen(function* () {
      const first = yield* output("migrate", "--create")
      assert.match(first, /^migration {2}name +applied\n1 +initial +\d{4}-/)
      assert.isTrue(existsSync(file))
      assert.strictEqual(yield* output("migrate"), first)
      assert.strictEqual(yield* output("migrate", "--create"), first)
    }))

  test("given a schema that is newer than the program, then it is rejected with the fix, and not changed", ({
    file,
    output,
    run
  }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const database = new DatabaseSync(file)
      database.exec("INSERT INTO petstore_migrations VALUES (99, 'later', 'x', '2099-01-01T00:00:00.000Z')")
      database.close()
      for (const args of [["migrate"], ["verify"], ["keys", "revoke", "1"]]) {
        const { code, stderr } = yield* run(...args)
        assert.deepStrictEqual([code, stderr.length], [1, 1])
        assert.include(stderr[0], "was applied by a newer release")
      }
    }))
})

/** Runs something with a terminal as standard error, and returns what it wrote there. */
const onTerminal = <E>(body: Effect.Effect<unknown, E>) =>
  Effect.acquireUseRelease(
    Effect.sync(() => {
      const write = vi.spyOn(process.stderr, "write").mockReturnValue(true)
      const terminal = Object.getOwnPropertyDescriptor(process.stderr, "isTTY")
      Object.defineProperty(process.stderr, "isTTY", { configurable: true, value: true })
      return { terminal, write }
    }),
    ({ write }) => Effect.map(body, () => write.mock.calls.map(([text]) => String(text))),
    ({ terminal, write }) =>
      Effect.sync(() => {
        write.mockRestore()
        Reflect.deleteProperty(process.stderr, "isTTY")
        if (terminal !== undefined) Object.defineProperty(process.stderr, "isTTY", terminal)
      })
  )

describe("petstore migrate --indexes", () => {
  test("given a terminal, then each step has a bar, which is cleared in the end", ({ output }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const written = yield* onTerminal(output("migrate", "--indexes", "orders.createdAt,pets.createdAt"))
      const [first, second] = written
      assert.include(first, " 0 %  0 of 4 indexes built")
      assert.include(second, " 25 %  1 of 4 indexes built")
      assert.strictEqual(written.at(-1), "\r\x1b[K")
    }))

  const indexesOf = (file: string) => {
    const database = new DatabaseSync(file, { readOnly: true })
    const names = database
      .prepare("SELECT name FROM sqlite_schema WHERE name LIKE '%\\_by\\_%' ESCAPE '\\' ORDER BY name")
      .all()
    database.close()
    return names.map(({ name }) => name)
  }

  test("given names, then the database has these indexes from then on, and no others", ({ file, output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create", "--indexes", "orders.createdAt,pets.metadata.chip")
      const orders = ["petstore_orders_by_created_owner", "petstore_orders_by_created_state"]
      const [chip = "", ...rest] = indexesOf(file).filter((name) => !orders.includes(String(name)))
      assert.match(String(chip), /^petstore_records_by_pets_chip_\w+$/)
      assert.deepStrictEqual(rest, [])
      yield* output("migrate")
      assert.lengthOf(indexesOf(file), 3)
      yield* output("migrate", "--indexes", "pets.metadata.chip")
      assert.deepStrictEqual(indexesOf(file), [chip])
      yield* output("migrate", "--indexes", "none")
      assert.deepStrictEqual(indexesOf(file), [])
      const refused = yield* run("migrate", "--indexes", "pets.size")
      assert.strictEqual(refused.code, 2)
      assert.include(refused.stderr.join(), "--indexes takes none, or names such as orders.createdAt")
    }))
})

describe("petstore migrate --dry-run", () => {
  test("given no database, then it prints SQL that creates one, and creates none itself", ({ file, output }) =>
    Effect.gen(function* () {
      const sql = yield* output("migrate", "--dry-run")
      assert.isFalse(existsSync(file))
      const database = new DatabaseSync(file)
      database.exec(sql)
      database.close()
      assert.strictEqual(yield* output("migrate", "--dry-run"), "-- The schema is up to date.")
      assert.include(yield* output("verify"), "0 violations")
    }))
})

describe("petstore doctor", () => {
  test("given a schema that was changed, then it prints SQL that mends it, and exits with 1 until it has run", ({
    file,
    output,
    run
  }) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run("doctor")).code, 2)
      yield* output("migrate", "--create")
      assert.strictEqual(yield* output("doctor"), "-- The schema is as it should be.")
      const change = (sql: string) => {
        const database = new DatabaseSync(file)
        database.exec(sql)
        database.close()
      }
      change("DROP INDEX petstore_pets_live")
      const { code, stderr, stdout } = yield* run("doctor")
      assert.deepStrictEqual([code, stderr], [1, []])
      assert.deepStrictEqual(stdout, [
        "-- the index petstore_pets_live is missing",
        "CREATE INDEX petstore_pets_live ON petstore_pets (id) WHERE NOT deleted;"
      ])
      change(stdout.join("\n"))
      assert.strictEqual(yield* output("doctor"), "-- The schema is as it should be.")
    }))
})

describe("petstore doctor --cluster", () => {
  test("given a file, then it concludes that an order does not survive the loss of the machine, and exits with 1", ({
    output,
    run
  }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const { code, stderr, stdout } = yield* run("doctor", "--cluster")
      assert.deepStrictEqual([code, stderr, stdout.length], [1, [], 1])
      assert.match(stdout[0] ?? "", /loss of a machine\? No: the file is on this machine only\./)
    }))
})

describe("--table-prefix", () => {
  test("given a prefix, then only the tables with that prefix are used", ({ output }) =>
    Effect.gen(function* () {
      const shop = ["--table-prefix", "shop_"] as const
      yield* output("keys", "create", "--account", "Guest", "--preset", "read", ...shop)
      assert.match(yield* output("migrate", ...shop), /\n1 +initial +\d{4}-/)
      assert.include(yield* output("verify", ...shop), "0 violations")
      yield* output("migrate")
      assert.deepStrictEqual(JSON.parse(yield* output("call", "listAccounts")), [])
      assert.strictEqual(JSON.parse(yield* output("call", "listAccounts", ...shop)).length, 1)
    }))
})
