import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { temporaryFolder } from "../../test/support/folder.ts"
import { type Ended, runPetstore } from "../../test/support/runPetstore.ts"

interface Place {
  readonly folder: string
  readonly file: string
  /** Runs a subcommand on the database of this test. */
  readonly run: (...args: ReadonlyArray<string>) => Effect.Effect<Ended>
  /** Runs a subcommand that must succeed, and returns its standard output. */
  readonly output: (...args: ReadonlyArray<string>) => Effect.Effect<string>
  /** Writes a file, and returns its path. */
  readonly write: (name: string, content: string | Uint8Array) => string
}

/** A test in a folder and on a database of its own. */
const test = (name: string, body: (place: Place) => Effect.Effect<void>) =>
  it.effect(name, () =>
    Effect.scoped(
      Effect.flatMap(temporaryFolder, (folder) => {
        const file = join(folder, "pets.db")
        const run = (...args: ReadonlyArray<string>) => runPetstore(args, { PETSTORE_STORAGE: `sqlite:${file}` })
        return body({
          folder,
          file,
          run,
          output: (...args) =>
            Effect.map(run(...args), ({ code, stderr, stdout }) => {
              assert.strictEqual(code, 0, stderr.join("\n"))
              return stdout.join("\n")
            }),
          write: (name, content) => {
            writeFileSync(join(folder, name), content)
            return join(folder, name)
          }
        })
      })
    )
  )

const refused = ({ code, stderr, stdout }: Ended) => ({ code, stderr: stderr.join("\n"), stdout: stdout.join("\n") })

describe("--table-prefix", () => {
  test("given one, then the command works on the tables of that name alone", ({ output }) =>
    Effect.gen(function* () {
      const shop = ["--table-prefix", "shop_"] as const
      yield* output("accounts", "create", "Guest", ...shop)
      assert.match(yield* output("migrate", ...shop), /\n1 +initial +\d{4}-/)
      assert.include(yield* output("verify", ...shop), "0 violations")
      yield* output("migrate")
      assert.deepStrictEqual(JSON.parse(yield* output("accounts", "list", "--json")), [])
      assert.strictEqual(JSON.parse(yield* output("accounts", "list", "--json", ...shop)).length, 1)
    }))
})

describe("petstore accounts", () => {
  test("given a name, then create prints the id alone, and list shows the account", ({ output }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* output("accounts", "create", "Zoë's shop"), "1")
      assert.match(yield* output("accounts", "list"), /^id {2}name +created\n1 {3}Zoë's shop {2}\d{4}-.*Z$/)
      const [account] = JSON.parse(yield* output("accounts", "list", "--json"))
      assert.strictEqual(account.name, "Zoë's shop")
    }))

  test("given a name that is taken, then one line says so, and the exit code is 1", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("accounts", "create", "Shop")
      assert.deepStrictEqual(refused(yield* run("accounts", "create", "SHOP")), {
        code: 1,
        stderr: 'petstore: There is already an account named "SHOP".',
        stdout: ""
      })
    }))

  test("given a name that is none, then the exit code is 2", ({ run }) =>
    Effect.gen(function* () {
      for (const name of ["", "  "]) {
        const { code, stderr } = refused(yield* run("accounts", "create", name))
        assert.strictEqual(code, 2)
        assert.match(stderr, /^petstore: NAME: [^/]+$/)
      }
    }))

  test("given no database, then list makes none", ({ file, run }) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(refused(yield* run("accounts", "list")), {
        code: 2,
        stderr: `petstore: The database "${file}" does not exist; name an existing one with --storage sqlite:FILE.`,
        stdout: ""
      })
      assert.isFalse(existsSync(file))
    }))
})

describe("petstore keys", () => {
  const key = /^psk_\d+_[0-9A-Za-z]{49}$/

  test("given a new account, then create makes it and prints the key alone", ({ output }) =>
    Effect.gen(function* () {
      assert.match(yield* output("keys", "create", "--account", "shop", "--preset", "read"), key)
      assert.match(yield* output("keys", "create", "--account", "SHOP", "--scopes", "pets:read, orders:write"), key)
      const accounts = JSON.parse(yield* output("accounts", "list", "--json"))
      assert.lengthOf(accounts, 1)
      const keys = JSON.parse(yield* output("keys", "list", "--json"))
      assert.deepStrictEqual(
        keys.map((made: { scopes: unknown }) => made.scopes),
        [
          ["pets:read", "inventory:read", "orders:read", "messages:read"],
          ["pets:read", "orders:write"]
        ]
      )
    }))

  test("given a name and a time, then the key has them", ({ output }) =>
    Effect.gen(function* () {
      const named = ["--name", "till 3", "--expires-at", "2099-01-01T01:00:00+01:00"]
      yield* output("keys", "create", "--account", "shop", "--preset", "storefront", ...named)
      const [made] = JSON.parse(yield* output("keys", "list", "--json"))
      assert.deepStrictEqual([made.name, made.expiresAt], ["till 3", "2099-01-01T00:00:00.000Z"])
      assert.match(yield* output("keys", "list"), /1 {3}shop {5}till 3 {2}pets:read/)
    }))

  test("given names that are none, then each is named by its flag, and no key is made", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate")
      for (const flag of ["--account", "--name"]) {
        const call = ["--account", "shop", "--name", "till", "--preset", "read"]
        call[call.indexOf(flag) + 1] = " "
        const { code, stderr } = refused(yield* run("keys", "create", ...call))
        assert.strictEqual(code, 2)
        assert.match(stderr, new RegExp(`^petstore: ${flag}: [^/]+$`))
      }
      assert.strictEqual(yield* output("accounts", "list", "--json"), "[]")
    }))

  test("given a time that has passed, then neither account nor database is made", ({ file, run }) =>
    Effect.gen(function* () {
      const ended = ["--expires-at", "1969-12-31T23:59:59Z"]
      assert.strictEqual((yield* run("keys", "create", "--account", "shop", "--preset", "read", ...ended)).code, 2)
      assert.isFalse(existsSync(file))
    }))

  test("given a wrong scope, then neither account nor database is made", ({ file, run }) =>
    Effect.gen(function* () {
      assert.strictEqual((yield* run("keys", "create", "--account", "shop", "--scopes", "everything")).code, 2)
      assert.isFalse(existsSync(file))
    }))

  test("given a key, then rotate prints another one alone, and list shows no secret", ({ output }) =>
    Effect.gen(function* () {
      const first = yield* output("keys", "create", "--account", "shop", "--preset", "read")
      const second = yield* output("keys", "rotate", "1", "--grace-seconds", "0")
      assert.match(second, key)
      assert.notStrictEqual(second, first)
      const listed = (yield* output("keys", "list")) + (yield* output("keys", "list", "--json"))
      for (const secret of [first, second]) assert.notInclude(listed, secret.slice(-40))
    }))

  test("given a key that has expired, when it is rotated, then that is refused, and nothing is printed", ({
    output,
    run
  }) =>
    Effect.gen(function* () {
      const expires = ["--expires-at", "1970-01-02T00:00:00Z"]
      yield* output("keys", "create", "--account", "shop", "--preset", "read", ...expires)
      yield* output("keys", "rotate", "1")
      yield* TestClock.setTime(Date.parse("1970-01-02T00:00:00Z"))
      assert.deepStrictEqual(refused(yield* run("keys", "rotate", "1")), {
        code: 1,
        stderr:
          "petstore: API key 1 expired on 1970-01-02T00:00:00.000Z. Rotating keeps that date, so the new key would never work: create another key with petstore keys create.",
        stdout: ""
      })
    }))

  test("given a key, then revoke ends it, and it is not listed any more", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("keys", "create", "--account", "shop", "--preset", "read")
      assert.deepStrictEqual(refused(yield* run("keys", "revoke", "1")), {
        code: 0,
        stderr: "API key 1 is revoked.",
        stdout: ""
      })
      assert.strictEqual(yield* output("keys", "list", "--json"), "[]")
    }))

  test("given the last admin key, then it stays, and the exit code is 1", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("keys", "create", "--account", "shop", "--preset", "admin")
      assert.deepStrictEqual(refused(yield* run("keys", "revoke", "1")), {
        code: 1,
        stderr:
          "petstore: API key 1 is the last admin key: no other works for 7 more days or as long as this one. Create another admin key first, or rotate this one.",
        stdout: ""
      })
    }))

  test("given the last admin key and another in the environment, then it is revoked", ({ file, output }) =>
    Effect.gen(function* () {
      yield* output("keys", "create", "--account", "shop", "--preset", "admin")
      const environment = { PETSTORE_STORAGE: `sqlite:${file}`, PETSTORE_ADMIN_KEY: "an-admin-key-of-the-environment" }
      assert.deepStrictEqual(refused(yield* runPetstore(["keys", "revoke", "1"], environment)), {
        code: 0,
        stderr: "API key 1 is revoked.",
        stdout: ""
      })
      assert.strictEqual(yield* output("keys", "list", "--json"), "[]")
    }))

  test("given a key that does not exist, then the exit code is 1", ({ output, run }) =>
    Effect.gen(function* () {
      yield* output("migrate")
      assert.deepStrictEqual(refused(yield* run("keys", "rotate", "7")), {
        code: 1,
        stderr: "petstore: There is no API key 7.",
        stdout: ""
      })
    }))
})

describe("petstore import", () => {
  const pets = 'id,name,species\r\n1,Tom,Cat\r\n2,,Cat\r\n3,"Rex",Dog\r\n4,"Two\r\nlines",Dog\r\n5,Tim\r\n6,Zoë,cat\r\n'
  const columns = ["--column", "category=species"]

  test("given rows of which some are wrong, then the others are imported and these are listed by line", ({
    output,
    write
  }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", pets)
      assert.strictEqual(
        yield* output("import", file, ...columns),
        [
          "imported 3",
          "categories created 2",
          `rejected 3, listed in ${file}.rejected.csv`,
          "  1 row: name is empty",
          "  1 row: name: Expected no control characters",
          "  1 row: it has 2 fields, not 3"
        ].join("\n")
      )
      assert.strictEqual(
        readFileSync(`${file}.rejected.csv`, "utf8"),
        [
          "line,reason,id,name,species",
          "3,name is empty,2,,Cat",
          '5,name: Expected no control characters,4,"Two\r\nlines",Dog',
          '7,"it has 2 fields, not 3",5,Tim',
          ""
        ].join("\n")
      )
      assert.match(yield* output("verify"), /\n0 violations of \d+ rules$/)
    }))

  test("given the list of rejected rows, corrected, then it can be imported", ({ output, write }) =>
    Effect.gen(function* () {
      yield* output("migrate")
      const file = write("fixed.csv", "line,reason,id,name,species\n3,name is empty,2,Mia,Cat\n")
      assert.include(yield* output("import", file, ...columns), "imported 1\n")
    }))

  test("given a second run without rejected rows, then the list of the first is gone", ({ folder, output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\n,Cat\n")
      yield* output("import", file)
      assert.isTrue(existsSync(`${file}.rejected.csv`))
      write("pets.csv", "name,category\nTom,Cat\n")
      assert.strictEqual(yield* output("import", file), "imported 1\ncategories created 1\nrejected 0")
      assert.notInclude(readdirSync(folder), "pets.csv.rejected.csv")
    }))

  test("given --dry-run, then nothing is written but the counts", ({ folder, output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", pets)
      assert.strictEqual(
        yield* output("import", file, ...columns, "--dry-run"),
        [
          "would import 3",
          "categories named 2",
          "rejected 3",
          "  1 row: name is empty",
          "  1 row: name: Expected no control characters",
          "  1 row: it has 2 fields, not 3"
        ].join("\n")
      )
      assert.deepStrictEqual(readdirSync(folder), ["pets.csv"])
    }))

  test("given --dry-run and --rejected, then that list is written, and no database", ({ folder, output, write }) =>
    Effect.gen(function* () {
      const list = join(folder, "wrong.csv")
      yield* output("import", write("pets.csv", pets), ...columns, "--dry-run", "--rejected", list)
      assert.deepStrictEqual(readdirSync(folder).sort(), ["pets.csv", "wrong.csv"])
    }))

  test("given --strict, then a rejected row makes the exit code 1, and the others are imported", ({
    output,
    run,
    write
  }) =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run("import", write("pets.csv", pets), ...columns, "--strict")
      assert.deepStrictEqual([code, stderr, stdout[0]], [1, [], "imported 3"])
      assert.include(yield* output("import", write("good.csv", "name,category\nA,Cat\n"), "--strict"), "imported 1")
    }))

  test("given NDJSON, then the format comes from the file name or from --format", ({ output, write }) =>
    Effect.gen(function* () {
      const text = '{"name":"Tom","species":"Cat","quantity":3}\n{"name":"Tim"}\n'
      const file = write("pets.jsonl", text)
      assert.include(
        yield* output("import", file, ...columns),
        "imported 1\ncategories created 1\nrejected 1, listed in"
      )
      assert.strictEqual(
        readFileSync(`${file}.rejected.csv`, "utf8"),
        'line,reason,row\n2,species is empty,"{""name"":""Tim""}"\n'
      )
      const other = write("pets.txt", `${text}\n`)
      assert.include(yield* output("import", other, ...columns, "--format", "ndjson"), "imported 1\n")
    }))

  test("given a byte order mark, then the first column is found", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "\ufeffname,category\nTom,Cat\n")
      assert.include(yield* output("import", file), "imported 1\n")
    }))

  test("given --from-line, then only what begins there is imported", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\nA,Cat\nB,Cat\nC,Cat\n")
      assert.include(yield* output("import", file, "--from-line", "4"), "imported 1\n")
    }))

  test("given a file that was imported, then it is refused under any name, and its list of rejected rows stays", ({
    output,
    run,
    write
  }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", pets)
      yield* output("import", file, ...columns)
      const list = readFileSync(`${file}.rejected.csv`, "utf8")
      for (const [name, ...flags] of [[file], [write("copy.csv", pets)], [file, "--from-line", "4"]] as const) {
        const { code, stderr, stdout } = yield* run("import", name, ...columns, ...flags)
        assert.deepStrictEqual([code, stdout], [1, []])
        assert.match(
          stderr.join("\n"),
          /^petstore: This file was imported on .*: 3 rows imported, 3 rejected\. To import every row again, add --again\.$/
        )
      }
      assert.strictEqual(readFileSync(`${file}.rejected.csv`, "utf8"), list)
      assert.include(yield* output("import", file, ...columns, "--again"), "categories created 0\n")
    }))

  test("given a file that was imported and --again, then every row is imported again", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\nTom,Cat\n")
      yield* output("import", file)
      assert.strictEqual(yield* output("import", file, "--again"), "imported 1\ncategories created 0\nrejected 0")
    }))

  test("given a file that has changed since, then it is another one", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\nTom,Cat\n")
      yield* output("import", file)
      write("pets.csv", "name,category\nTom,Cat\nTim,Cat\n")
      assert.include(yield* output("import", file, "--from-line", "3"), "imported 1\n")
    }))

  test("given --dry-run on a file that was imported, then it is checked all the same", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\nTom,Cat\n")
      yield* output("import", file)
      assert.include(yield* output("import", file, "--dry-run"), "would import 1\n")
    }))

  test("given /dev/null for the list of rejected rows, then it stays what it is", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\n,Cat\n")
      yield* output("import", file, "--rejected", "/dev/null")
      yield* output("import", write("good.csv", "name,category\nTom,Cat\n"), "--rejected", "/dev/null")
      assert.isTrue(statSync("/dev/null").isCharacterDevice())
    }))

  const wrong: Readonly<Record<string, (place: Place) => readonly [ReadonlyArray<string>, string]>> = {
    "no such file": () => [["absent.csv"], 'There is no file "absent.csv".'],
    "a folder": ({ folder }) => {
      mkdirSync(join(folder, "x.csv"))
      return [[join(folder, "x.csv")], `"${join(folder, "x.csv")}" is a directory, not a file.`]
    },
    "a name that shows no format": ({ write }) => [
      [write("pets.xls", "")],
      "does not show the format; add --format csv or --format ndjson."
    ],
    "standard input without a format": () => [
      ["-"],
      "Standard input has no name that shows the format; add --format csv or --format ndjson."
    ],
    "an empty file": ({ write }) => [
      [write("pets.csv", "")],
      "The file is empty; its first line must name the columns."
    ],
    "no column for the name": ({ write }) => [
      [write("pets.csv", "a,category\n")],
      'The file has no column "name" for the name, only "a", "category"; name the column with --column name=COLUMN.'
    ],
    "a field that pets have not": ({ write }) => [
      [write("pets.csv", "name,category\n"), "--column", "colour=c"],
      '--column takes FIELD=COLUMN with a FIELD of name, category, status, quantity, not "colour=c".'
    ],
    "UTF-16": ({ write }) => [
      [write("pets.csv", Buffer.from("\ufeffname", "utf16le"))],
      "The file is UTF-16; save it as UTF-8."
    ],
    "a compressed file": ({ write }) => [
      [write("pets.csv", Buffer.of(0x1f, 0x8b, 8))],
      "The file is compressed; decompress it first."
    ],
    "the input for the list of rejected rows": ({ write }) => {
      const file = write("pets.csv", "name,category\n")
      return [[file, "--rejected", file], "--rejected names the input file itself."]
    },
    "a list of rejected rows that cannot be written": ({ write }) => [
      [write("pets.csv", "name,category\n"), "--rejected", "/nowhere/x.csv"],
      '"/nowhere/x.csv" cannot be written; name another file with --rejected FILE.'
    ],
    "a bad format": ({ write }) => [
      [write("pets.csv", ""), "--format", "xml"],
      '--format takes "csv" | "ndjson", not "xml". See petstore import --help.'
    ]
  }
  for (const [name, call] of Object.entries(wrong)) {
    test(`given ${name}, then one line says so, the exit code is 2, and no database is made`, (place) =>
      Effect.gen(function* () {
        const [args, says] = call(place)
        const { code, stderr, stdout } = yield* place.run("import", ...args)
        assert.deepStrictEqual([code, stderr.length, stdout], [2, 1, []])
        assert.isTrue(stderr[0]?.startsWith("petstore: ") && stderr[0].endsWith(says), stderr[0])
        assert.isFalse(existsSync(place.file))
      }))
  }
})

describe("petstore verify", () => {
  test("given data in order, then every rule is listed as ok, and the exit code is 0", ({ output, write }) =>
    Effect.gen(function* () {
      yield* output("import", write("pets.csv", "name,category\nTom,Cat\n"))
      const lines = (yield* output("verify")).split("\n")
      assert.match(lines.at(-1) ?? "", /^0 violations of \d+ rules$/)
      assert.deepStrictEqual(
        lines.slice(0, -1).filter((line) => !/^ok {6}.+ \(\d+ checked\)$/.test(line)),
        []
      )
      assert.isTrue(JSON.parse(yield* output("verify", "--json")).ok)
    }))

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
      assert.match(stdout.at(-1) ?? "", /^[1-9]\d* violations of \d+ rules$/)
      const report = JSON.parse((yield* run("verify", "--json")).stdout.join("\n"))
      assert.isFalse(report.ok)
    }))

  test("given a file that is no database, then one line says so, and the exit code is 1", ({ run, write }) =>
    Effect.gen(function* () {
      write("pets.db", "This is a letter to my aunt, and no database at all, however long it gets.".repeat(20))
      const { code, stderr, stdout } = yield* run("verify")
      assert.deepStrictEqual([code, stderr.length, stdout], [1, 1, []])
      assert.include(stderr[0], "file is not a database")
    }))
})

describe("petstore backup", () => {
  test("given a new file, then it is a copy, and its size is printed", ({ folder, output, run, write }) =>
    Effect.gen(function* () {
      yield* output("import", write("pets.csv", "name,category\nTom,Cat\n"))
      const copy = join(folder, "copy.db")
      assert.match(yield* output("backup", copy), /copy\.db: \d+ bytes$/)
      const there = yield* run("verify", "--storage", `sqlite:${copy}`)
      assert.strictEqual(there.code, 0)
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.includes("partial")),
        []
      )
    }))

  test("given a file that exists, then it stays as it is, and the exit code is 2", ({ output, run, write }) =>
    Effect.gen(function* () {
      yield* output("migrate")
      const copy = write("copy.db", "mine")
      assert.deepStrictEqual(refused(yield* run("backup", copy)), {
        code: 2,
        stderr: `petstore: "${copy}" exists already; name a new file.`,
        stdout: ""
      })
      assert.strictEqual(readFileSync(copy, "utf8"), "mine")
    }))
})

describe("petstore migrate", () => {
  test("given no database, then it is made, and every step is listed with its time", ({ file, output }) =>
    Effect.gen(function* () {
      const first = yield* output("migrate")
      assert.match(first, /^migration {2}name +applied\n1 +initial +\d{4}-/)
      assert.isTrue(existsSync(file))
      assert.strictEqual(yield* output("migrate"), first)
    }))

  test("given a schema that is newer than the program, then it is refused with what to do, and stays", ({
    file,
    output,
    run
  }) =>
    Effect.gen(function* () {
      yield* output("migrate")
      const database = new DatabaseSync(file)
      database.exec("INSERT INTO petstore_migrations VALUES (99, 'later', 'x', '2099-01-01T00:00:00.000Z')")
      database.close()
      for (const args of [["migrate"], ["verify"], ["keys", "list"]]) {
        const { code, stderr } = yield* run(...args)
        assert.deepStrictEqual([code, stderr.length], [1, 1])
        assert.include(stderr[0], "was applied by a newer release")
      }
    }))
})

describe("a command that waits for its database", () => {
  test("given a signal, then it stops, and the exit code shows the signal", ({ file, output }) =>
    Effect.gen(function* () {
      yield* output("migrate")
      const other = new DatabaseSync(file)
      other.exec("BEGIN IMMEDIATE")
      const create = ["keys", "create", "--account", "shop", "--preset", "read"]
      const environment = { PETSTORE_STORAGE: `sqlite:${file}` }
      // The clock of the test stands still, so the wait for the lock would never end.
      assert.strictEqual((yield* runPetstore(create, environment, Effect.succeed("SIGINT"))).code, 130)
      assert.strictEqual((yield* runPetstore(create, environment, Effect.succeed("SIGTERM"))).code, 143)
      other.close()
      assert.strictEqual(yield* output("accounts", "list", "--json"), "[]")
    }))
})
