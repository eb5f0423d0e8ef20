import { readFileSync, writeFileSync } from "node:fs"
import { DatabaseSync } from "node:sqlite"
import { assert, describe } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { test } from "../../../test/support/cliTest.ts"

describe("petstore verify", () => {
  test("given valid data, then every rule is listed as ok, and the exit code is 0", ({ output, write }) =>
    Effect.gen(function* () {
      yield* output("import", write("pets.csv", "name,category\nTom,Cat\n"))
      const lines = (yield* output("verify")).split("\n")
      assert.match(lines[0] ?? "", /^0 violations of \d+ invariants$/)
      assert.deepStrictEqual(
        lines.slice(1).filter((line) => !/^ok {6}.+ \(\d+ checked\)$/.test(line)),
        []
      )
      assert.isTrue(JSON.parse(yield* output("verify", "--json")).ok)
    }))

  test("given --record beside an open petstore, then its statistics show the last result, which is verified itself", ({
    file,
    output,
    run
  }) =>
    Effect.gen(function* () {
      const petstore = yield* Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: sqlite(file) })),
        (opened) => Effect.promise(() => opened.close())
      )
      const last = Effect.promise(async () => (await petstore.stats()).verification)
      yield* output("verify")
      assert.isUndefined(yield* last)
      yield* output("verify", "--record")
      const first = yield* last
      assert.deepInclude(first, { ok: true, violations: 0 })
      const { checks } = JSON.parse(yield* output("verify", "--json"))
      assert.strictEqual(first?.checks, checks.length)
      const database = new DatabaseSync(file)
      database.exec("UPDATE petstore_checkpoints SET state = '{}' WHERE subject = 'verification'")
      database.close()
      const { code, stdout } = yield* run("verify", "--record")
      assert.strictEqual(code, 1)
      assert.match(stdout.join("\n"), /"subject":"verification","problem":"no checkpoint has such a row"/)
      assert.deepInclude(yield* last, { ok: false, violations: 1 })
      assert.isTrue((yield* Effect.promise(() => petstore.verify({ record: true }))).ok)
    }).pipe(Effect.scoped))

  test("given a ledger that was tampered with, then the broken rules and their rows are shown, and the exit code is 1", ({
    file,
    output,
    run,
    write
  }) =>
    Effect.gen(function* () {
      yield* output("import", write("pets.csv", "name,category\nTom,Cat\nTim,Cat\n"))
      const database = new DatabaseSync(file)
      database.exec("UPDATE petstore_pets SET on_hand = 5 WHERE id = 2")
      database.close()
      const { code, stderr, stdout } = yield* run("verify")
      assert.deepStrictEqual([code, stderr], [1, []])
      const broken = stdout.filter((line) => line.startsWith("BROKEN"))
      assert.include(
        broken.join("\n"),
        "The stock of a pet, its hold included, is what its movements add up to. (1 of 2)"
      )
      assert.match(stdout.join("\n"), /\n {10}\{.*"petId":2/)
      assert.match(stdout[0] ?? "", /^[1-9]\d* violations of \d+ invariants$/)
      const report = JSON.parse((yield* run("verify", "--json")).stdout.join("\n"))
      assert.isFalse(report.ok)
    }))

  for (const command of ["verify", "serve", "backup copy.db"]) {
    test(`given a file that lacks committed events, then ${command} shows how many and what to do, and the exit code is 1`, ({
      file,
      output,
      run,
      write
    }) =>
      Effect.gen(function* () {
        yield* output("import", write("pets.csv", "name,category\nTom,Cat\n"))
        const [latest] = readFileSync(`${file}-head`, "latin1").split(" ")
        writeFileSync(`${file}-head`, "900 evt_gone 900\n")
        const { code, stderr, stdout } = yield* run(...command.split(" "))
        assert.deepStrictEqual([code, stdout], [1, []])
        assert.include(
          stderr.join(),
          `pets.db: it lacks ${900 - Number(latest)} events that were committed: its log ends with event ${latest}`
        )
        assert.include(stderr.join(), "delete pets.db-head")
      }))
  }

  test("given a file that is not a database, then one line reports it, and the exit code is 1", ({ run, write }) =>
    Effect.gen(function* () {
      write("pets.db", "This is a letter to my aunt, and no database at all, however long it gets.".repeat(20))
      const { code, stderr, stdout } = yield* run("verify")
      assert.deepStrictEqual([code, stderr.length, stdout], [1, 1, []])
      assert.include(stderr[0], "file is not a database")
    }))
})
