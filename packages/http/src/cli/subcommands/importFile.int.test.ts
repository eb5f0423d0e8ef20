import { execFileSync } from "node:child_process"
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync } from "node:fs"
import { join } from "node:path"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type Place, test } from "../../../test/support/cliTest.ts"

describe("petstore import --sample", () => {
  test("given an empty store, then 20 pets are imported without a rejection, once", ({ folder, output, run }) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* output("import", "--sample"), "imported 20\ncategories created 4\nrejected 0")
      assert.strictEqual((yield* run("import", "--sample")).code, 1)
      assert.include(yield* output("verify"), "0 violations")
      assert.deepStrictEqual(
        readdirSync(folder).filter((name) => name.endsWith(".csv")),
        []
      )
    }))

  test("given a file beside it, or neither, then it is a usage error", ({ run }) =>
    Effect.gen(function* () {
      const both = yield* run("import", "pets.csv", "--sample")
      assert.deepStrictEqual([both.code, both.stderr], [2, ["petstore: --sample takes no FILE."]])
      const none = yield* run("import")
      assert.deepStrictEqual([none.code, none.stderr], [2, ["petstore: FILE is missing. See petstore import --help."]])
    }))
})

describe("petstore import", () => {
  const pets = 'id,name,species\r\n1,Tom,Cat\r\n2,,Cat\r\n3,"Rex",Dog\r\n4,"Two\r\nlines",Dog\r\n5,Tim\r\n6,Zoë,cat\r\n'
  const columns = ["--column", "category=species"]

  test("given some invalid rows, then the others are imported, and these are listed with their lines", ({
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
          "  1 row: name: Expected no control characters and none that change the direction of text",
          "  1 row: it has 2 fields, not 3",
          "rows over several lines 1, the first on line 5"
        ].join("\n")
      )
      assert.strictEqual(
        readFileSync(`${file}.rejected.csv`, "utf8"),
        [
          "line,reason,id,name,species",
          "3,name is empty,2,,Cat",
          '5,name: Expected no control characters and none that change the direction of text,4,"Two\r\nlines",Dog',
          '7,"it has 2 fields, not 3",5,Tim',
          ""
        ].join("\n")
      )
      assert.match(yield* output("verify"), /^0 violations of \d+ invariants\n/)
    }))

  test("given the corrected file of rejected rows, then it can be imported", ({ output, write }) =>
    Effect.gen(function* () {
      yield* output("migrate", "--create")
      const file = write("fixed.csv", "line,reason,id,name,species\n3,name is empty,2,Mia,Cat\n")
      assert.include(yield* output("import", file, ...columns), "imported 1\n")
    }))

  test("given rows in Windows-1252, then their list has the same bytes, which are rejected again", ({
    output,
    write
  }) =>
    Effect.gen(function* () {
      const rows = 'Zo\xeb,"Cat"\r\nTom, "Cat" x\r\n"Ren\xe9", Dog\r\n'
      const file = write("pets.csv", Buffer.from(`name,category\r\n${rows}Rex,Dog\r\n`, "latin1"))
      assert.include(yield* output("import", file), "imported 1\n")
      const list = `${file}.rejected.csv`
      assert.strictEqual(
        readFileSync(list, "latin1"),
        [
          "line,reason,name,category",
          '2,it is not UTF-8,Zo\xeb,"Cat"',
          '3,text follows a closing quote,"Tom, ""Cat"" x"',
          '4,it is not UTF-8,"Ren\xe9", Dog',
          ""
        ].join("\n")
      )
      assert.include(yield* output("import", list, "--dry-run"), "would import 0\ncategories named 0\nrejected 3\n")
    }))

  test("given --delimiter, --map-status and --default-name, then the list of rejected rows can be imported with them", ({
    output,
    write
  }) =>
    Effect.gen(function* () {
      const flags = ["--delimiter", ";", "--map-status", "Adopted=sold", "--default-name", "Unnamed"]
      const file = write(
        "pets.csv",
        'name;category;status;quantity\n;"Cat, Dog";Adopted;\nTom;;;many\nTim;Cat;"in;out";\n'
      )
      assert.include(yield* output("import", file, ...flags), "imported 1\n")
      const list = readFileSync(`${file}.rejected.csv`, "utf8")
      assert.strictEqual(
        list,
        [
          "line;reason;name;category;status;quantity",
          '3;"category is empty; quantity: Expected a whole number from 0 to 2147483647";Tom;;;many',
          '4;"status: Expected ""available"", ""pending"" or ""sold"", not ""in;out""; map it with --map-status";Tim;Cat;"in;out";',
          ""
        ].join("\n")
      )
      const corrected = write(
        "fixed.csv",
        list.replace("Tom;;;many", ";Cat;;1.0").replace('Cat;"in;out"', "Cat;Adopted")
      )
      assert.include(yield* output("import", corrected, ...flags), "imported 2\ncategories created 1\nrejected 0")
    }))

  test("given blank rows and rows over several lines, then the summary counts and names them, from the first line on", ({
    output,
    write
  }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", 'name,category,notes\n,,\nTom,Cat,"a\nb"\n  \nTim,Cat,"a\nb"\n')
      assert.strictEqual(
        yield* output("import", file, "--strict"),
        [
          "imported 2",
          "categories created 1",
          "rejected 0",
          "blank rows 2, the first on line 2",
          "rows over several lines 2, the first on line 3"
        ].join("\n")
      )
      assert.include(
        yield* output("import", file, "--again", "--from-line", "6"),
        "several lines 1, the first on line 6"
      )
      assert.match(yield* output("verify"), /^0 violations of \d+ invariants\n/)
    }))

  test("given a second run without rejected rows, then the file of the first is removed", ({ folder, output, write }) =>
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
          "  1 row: name: Expected no control characters and none that change the direction of text",
          "  1 row: it has 2 fields, not 3",
          "rows over several lines 1, the first on line 5"
        ].join("\n")
      )
      assert.deepStrictEqual(readdirSync(folder), ["pets.csv"])
    }))

  test("given --dry-run and --rejected, then the file of rejected rows is written, and no database", ({
    folder,
    output,
    write
  }) =>
    Effect.gen(function* () {
      const list = join(folder, "wrong.csv")
      yield* output("import", write("pets.csv", pets), ...columns, "--dry-run", "--rejected", list)
      assert.deepStrictEqual(readdirSync(folder).sort(), ["pets.csv", "wrong.csv"])
    }))

  test("given --strict and a rejected row, then the exit code is 1, and the others are imported", ({
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
        readFileSync(`${file}.rejected.ndjson`, "utf8"),
        '{"rejected line":2,"rejected because":"species is empty","name":"Tim"}\n'
      )
      const other = write("pets.txt", `${text}\n`)
      assert.include(yield* output("import", other, ...columns, "--format", "ndjson"), "imported 1\n")
    }))

  test("given rejected rows of JSON, then their list can be corrected and imported", ({ output, write }) =>
    Effect.gen(function* () {
      const rows = '{\n "name": "Tim",\n "sort": "Cat"}, 5, {"name":"Tom","name":"Tam","species":"Cat"}, {}'
      const list = `${write("pets.json", `[${rows}]`)}.rejected.ndjson`
      assert.include(yield* output("import", list.replace(".rejected.ndjson", ""), ...columns), "rejected 4, listed in")
      const rejected = readFileSync(list, "utf8")
      assert.strictEqual(
        rejected,
        [
          '{"rejected line":1,"rejected because":"species is empty",  "name": "Tim",  "sort": "Cat"}',
          '{"rejected line":2,"rejected because":"it is not a JSON object","row":"5"}',
          '{"rejected line":3,"rejected because":"it has \\"name\\" twice","name":"Tom","name":"Tam","species":"Cat"}',
          '{"rejected line":4,"rejected because":"name is empty; species is empty"}',
          ""
        ].join("\n")
      )
      const again = write("again.ndjson", rejected)
      assert.include(yield* output("import", again, ...columns), "rejected 4, listed in")
      assert.notMatch(readFileSync(`${again}.rejected.ndjson`, "utf8"), /rejected line.*rejected line/)
      const mended = write("mended.ndjson", rejected.replace('"sort"', '"species"').replace('"name":"Tam",', ""))
      assert.include(yield* output("import", mended, ...columns), "imported 2\n")
    }))

  test("given a page that leads to another one, then a note says that there is more, and where", ({ run, write }) =>
    Effect.gen(function* () {
      const page = (next: unknown, name: string) =>
        JSON.stringify({ items: [{ name, species: "Cat" }], links: { self: "/pets", next } })
      const first = write("first.json", page("/pets?page=2", "Tom"))
      const { code, stderr } = yield* run("import", first, ...columns)
      assert.deepStrictEqual(
        [code, stderr],
        [
          0,
          [
            'The last page says that there are more (next: "/pets?page=2"), which are not in this file. Get the next pages, and import them too.'
          ]
        ]
      )
      const all = write("all.json", `${page("/pets?page=2", "Tim")}\n${page(null, "Tam")}`)
      assert.deepStrictEqual((yield* run("import", all, ...columns)).stderr, [])
    }))

  test("given a list of pages, then it is rejected as a whole, with what to do", ({ run, write }) =>
    Effect.gen(function* () {
      const file = write("pages.json", '[{"items":[{"name":"Tom","species":"Cat"}]},{"items":[]}]')
      const { code, stderr } = yield* run("import", file, ...columns)
      assert.deepStrictEqual(
        [code, stderr],
        [
          2,
          [
            "petstore: The file is a list of pages, each of which has its rows. Write the pages behind each other instead, for example with jq '.[]' FILE, and import that."
          ]
        ]
      )
    }))

  test("given pages of JSON, then each object is a row, and the list of rejected ones has their numbers", ({
    output,
    write
  }) =>
    Effect.gen(function* () {
      const page = (...items: ReadonlyArray<object>) => JSON.stringify({ items, nextCursor: null })
      const file = write(
        "pets.json",
        `${page({ name: "Tom", species: "Cat" }, { name: "Tim" })}\n${page({ name: "Rex" })}`
      )
      assert.include(yield* output("import", file, ...columns), "imported 1\ncategories created 1\nrejected 2, listed")
      assert.strictEqual(
        readFileSync(`${file}.rejected.ndjson`, "utf8"),
        '{"rejected line":2,"rejected because":"species is empty","name":"Tim"}\n{"rejected line":3,"rejected because":"species is empty","name":"Rex"}\n'
      )
      assert.match(yield* output("verify"), /^0 violations of \d+ invariants\n/)
    }))

  test("given a file that was imported, then it is rejected under any name, and its file of rejected rows is kept", ({
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

  test("given a file that has changed since, then it counts as another file", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\nTom,Cat\n")
      yield* output("import", file)
      write("pets.csv", "name,category\nTom,Cat\nTim,Cat\n")
      assert.include(yield* output("import", file, "--from-line", "3"), "imported 1\n")
    }))

  test("given --dry-run and a file that was imported, then its rows are checked all the same", ({ output, write }) =>
    Effect.gen(function* () {
      const file = write("pets.csv", "name,category\nTom,Cat\n")
      yield* output("import", file)
      assert.include(yield* output("import", file, "--dry-run"), "would import 1\n")
    }))

  test("given /dev/null for the rejected rows, then it is not replaced", ({ output, write }) =>
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
      return [
        [join(folder, "x.csv")],
        `"${join(folder, "x.csv")}" is a directory, not a file; import its files one by one.`
      ]
    },
    "a name that shows no format": ({ write }) => [
      [write("pets.xls", "")],
      "does not show the format; add one of --format csv, --format ndjson, --format json."
    ],
    "standard input without a format": () => [
      ["-"],
      "Standard input has no name that shows the format; add one of --format csv, --format ndjson, --format json."
    ],
    "no column for the name": ({ write }) => [
      [write("pets.csv", "a,category\n")],
      'The file has no column "name" for the name, only "a", "category"; name the column with --column name=COLUMN.'
    ],
    "UTF-16": ({ write }) => [
      [write("pets.csv", Buffer.from("\ufeffname", "utf16le"))],
      "The file is UTF-16; save it as UTF-8."
    ],
    "UTF-16 without a mark": ({ write }) => [
      [write("pets.csv", Buffer.from("name", "utf16le"))],
      "The file is UTF-16; save it as UTF-8."
    ],
    "a JSON file that was cut": ({ write }) => [
      [write("pets.json", '[{"name":"Tom","category":"Cat"},')],
      "The file is not valid JSON: it ends within its row 2, in which a quote or a bracket may be missing; line 1, column 34: expected a value, not the end."
    ],
    "a JSON file with a fault in a row": ({ write }) => [
      [write("pets.json", '[{"name":"Tom","category":"Cat"},\n{"name":"Tim" "category":"Cat"}]')],
      'The file is not valid JSON: its row 2 cannot be parsed; line 2, column 15: expected a comma or }, not ".'
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
    "a pipe that nobody reads for the list of rejected rows": ({ write }) => {
      const input = write("pets.csv", "name,category\n")
      const pipe = `${input}.pipe`
      execFileSync("mkfifo", [pipe])
      return [
        [input, "--rejected", pipe],
        `${JSON.stringify(pipe)} cannot be written; name another file with --rejected FILE.`
      ]
    },
    "a bad format": ({ write }) => [
      [write("pets.csv", ""), "--format", "xml"],
      '--format takes "csv" | "ndjson" | "json", not "xml". See petstore import --help.'
    ]
  }
  for (const [name, call] of Object.entries(wrong)) {
    test(`given ${name}, then one line reports it, the exit code is 2, and no database is created`, (place) =>
      Effect.gen(function* () {
        const [args, says] = call(place)
        const { code, stderr, stdout } = yield* place.run("import", ...args)
        assert.deepStrictEqual([code, stderr.length, stdout], [2, 1, []])
        assert.isTrue(stderr[0]?.startsWith("petstore: ") && stderr[0].endsWith(says), stderr[0])
        assert.isFalse(existsSync(place.file))
      }))
  }
})
