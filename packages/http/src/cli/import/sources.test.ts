import { assert, describe, it } from "@effect/vitest"
import { UsageError } from "../errors.ts"
import { csvSource } from "./csvSource.ts"
import { type Format, parseReading, type ReadingFlags } from "./ImportSettings.ts"
import { maxRowBytes } from "./jsonRow.ts"
import { jsonSource } from "./jsonSource.ts"
import { ndjsonSource } from "./ndjsonSource.ts"
import type { RowSource, SourceRow } from "./SourceRow.ts"

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

const readingOf = (...columns: ReadonlyArray<string>) => parseReading({ columns })

const refusalOf = (flags: ReadingFlags, format?: Format): string => {
  try {
    return JSON.stringify(parseReading(flags, format))
  } catch (error) {
    return error instanceof UsageError ? error.message : String(error)
  }
}

const rowsOf = async (source: RowSource): Promise<ReadonlyArray<SourceRow>> => {
  const rows: Array<SourceRow> = []
  for await (const portion of source.rows) for (const row of portion) rows.push(row)
  return rows
}

const csv = async (text: string, ...named: ReadonlyArray<string>): Promise<ReadonlyArray<SourceRow>> =>
  rowsOf(await csvSource(inPieces(Buffer.from(text), 7), readingOf(...named)))

const refusal = (attempt: Promise<unknown>): Promise<string> =>
  attempt.then(
    () => "nothing was rejected",
    (error) => (error instanceof UsageError ? error.message : `not a usage error: ${error}`)
  )

const said = (rows: ReadonlyArray<SourceRow>) => rows.map((row) => [row.line, row.problem ?? row.values])

describe("--column", () => {
  it("given nothing, then each field stands in the column of its name", () => {
    assert.deepStrictEqual(
      Object.entries(readingOf().columns).map(([field, { named, title }]) => [field, title, named]),
      [
        ["name", "name", false],
        ["category", "category", false],
        ["status", "status", false],
        ["quantity", "quantity", false]
      ]
    )
  })

  it("given an = in the column, then it belongs to the column", () => {
    assert.deepStrictEqual(readingOf("name=a=b").columns.name, { title: "a=b", named: true })
  })

  for (const text of ["", "name", "name=", "=x", "nam=x", "toString=x"]) {
    it(`given ${JSON.stringify(text)}, then it is rejected`, () => {
      assert.strictEqual(
        refusalOf({ columns: [text] }),
        `--column takes FIELD=COLUMN with a FIELD of name, category, status, quantity, not ${JSON.stringify(text)}`
      )
    })
  }

  it("given a field twice, then it is rejected", () => {
    assert.strictEqual(refusalOf({ columns: ["name=a", "name=b"] }), "--column names name twice")
  })
})

describe("--map-status", () => {
  for (const text of ["", "Adopted", "Adopted=", "Adopted=gone", "sold"]) {
    it(`given ${JSON.stringify(text)}, then it is rejected`, () => {
      assert.strictEqual(
        refusalOf({ statuses: [text] }),
        `--map-status takes TEXT=STATUS with a STATUS of available, pending, sold, not ${JSON.stringify(text)}`
      )
    })
  }

  it("given a text twice, then it is rejected", () => {
    assert.strictEqual(refusalOf({ statuses: ["a=sold", " a =pending"] }), "--map-status names a twice")
  })

  it("given no column for the status, then it is rejected", async () => {
    const reading = parseReading({ statuses: ["Adopted=sold"] })
    const source = csvSource(inPieces(Buffer.from("name,category\n"), 7), reading)
    assert.include(await refusal(source), 'The file has no column "status" for the status')
  })
})

describe("--default-name", () => {
  for (const name of ["", "  ", "a\nb", "x".repeat(201)]) {
    it(`given ${JSON.stringify(name.slice(0, 9))}, then it is rejected`, () => {
      assert.match(refusalOf({ defaultName: name }), /^--default-name: Expected /)
    })
  }
})

describe("--delimiter", () => {
  for (const text of ["", ";;", "a", "1", '"', "\n", "\r", "é", "\0"]) {
    it(`given ${JSON.stringify(text)}, then it is rejected`, () => {
      assert.strictEqual(
        refusalOf({ delimiter: text }),
        `--delimiter takes one ASCII character that is no letter, digit or quote, or tab, not ${JSON.stringify(text)}`
      )
    })
  }

  it("given NDJSON, then it is rejected", () => {
    assert.strictEqual(refusalOf({ delimiter: ";" }, "ndjson"), "--delimiter is for CSV, not for --format ndjson")
  })

  for (const [flag, delimiter] of Object.entries({ ";": ";", tab: "\t", "\\t": "\t", "|": "|", " ": " " })) {
    it(`given ${JSON.stringify(flag)}, then it separates the cells, and a comma and blanks do not`, async () => {
      const cells = [
        ["category", "name"],
        ["", '"a,b"'],
        [",Cat", `"T${delimiter}m"`],
        ["Dog", "Rex"]
      ]
      const text = cells.map((row) => row.join(delimiter)).join("\n")
      const rows = await rowsOf(await csvSource(inPieces(Buffer.from(text), 7), parseReading({ delimiter: flag })))
      assert.deepStrictEqual(said(rows), [
        [2, { name: "a,b", category: undefined }],
        [3, { name: `T${delimiter}m`, category: ",Cat" }],
        [4, { name: "Rex", category: "Dog" }]
      ])
    })
  }

  for (const [found, flag] of Object.entries({ ";": '";"', "\t": "tab", "|": '"|"' })) {
    it(`given a header separated by ${flag} and another delimiter, then the refusal names the flag`, async () => {
      assert.include(
        await refusal(csv(`name${found}category\n`)),
        `; add --delimiter ${flag} if that is what separates its columns`
      )
    })
  }
})

describe("the rows of a CSV file", () => {
  it("given the columns of the fields anywhere, then they are found", async () => {
    assert.deepStrictEqual(said(await csv("id,category,name\n1,Cat,Tom\n")), [[2, { name: "Tom", category: "Cat" }]])
  })

  it("given named columns, then they are found", async () => {
    const rows = await csv("species,animal_name\nCat,Tom\n", "name=animal_name", "category=species")
    assert.deepStrictEqual(said(rows), [[2, { name: "Tom", category: "Cat" }]])
  })

  it("given a status and a quantity, then the quantity is a number", async () => {
    const rows = await csv(
      "name,category,status,quantity\nTom,Cat, sold , 0 \nTim,Cat,,many\nTom,Cat,,1.00\nTim,Cat,,1.5\n"
    )
    assert.deepStrictEqual(said(rows), [
      [2, { name: "Tom", category: "Cat", status: "sold", quantity: 0 }],
      [3, { name: "Tim", category: "Cat", status: undefined, quantity: "many" }],
      [4, { name: "Tom", category: "Cat", status: undefined, quantity: 1 }],
      [5, { name: "Tim", category: "Cat", status: undefined, quantity: "1.5" }]
    ])
  })

  it("given blank fields, then they say nothing", async () => {
    assert.deepStrictEqual(said(await csv("name,category,x\n  ,,1\n")), [[2, { name: undefined, category: undefined }]])
  })

  it("given rows of blank cells, however many they are, then these are marked", async () => {
    const rows = await csv('name,category\n,\n  \n"\n",,,\nTom,Cat\n')
    assert.deepStrictEqual(
      rows.map(({ isBlank, line }) => [line, isBlank]),
      [
        [2, true],
        [3, true],
        [4, true],
        [6, undefined]
      ]
    )
  })

  it("given too few or too many fields, then the row cannot be read and its neighbours can", async () => {
    assert.deepStrictEqual(said(await csv('name,category\nTom\n"A\nB",Cat,x\nTim,Cat\n')), [
      [2, "it has 1 field, not 2"],
      [3, "it has 3 fields, not 2"],
      [5, { name: "Tim", category: "Cat" }]
    ])
  })

  it("given blanks around the names of columns, then they do not matter", async () => {
    assert.deepStrictEqual(said(await csv(" name , category \nTom,Cat\n")), [[2, { name: "Tom", category: "Cat" }]])
  })

  it("given only the names of columns, then there are no rows", async () => {
    assert.deepStrictEqual(await csv("name,category\n"), [])
  })

  it("given no bytes, then it is rejected", async () => {
    assert.strictEqual(await refusal(csv("")), "The file is empty; its first line must name the columns")
  })

  it("given a required column that is absent, then the refusal lists those that are there", async () => {
    assert.strictEqual(
      await refusal(csv("id,species\n", "category=species")),
      'The file has no column "name" for the name, only "id", "species"; name the column with --column name=COLUMN'
    )
  })

  it("given an optional column that is absent, then it is rejected only if it was named", async () => {
    assert.deepStrictEqual(await csv("name,category\n"), [])
    assert.include(
      await refusal(csv("name,category\n", "status=state")),
      'The file has no column "state" for the status'
    )
  })

  it("given two columns of one name, then they are rejected", async () => {
    assert.strictEqual(await refusal(csv("name,category,name\n")), 'Two columns are named "name"')
  })

  it("given two columns of one name that is not asked for, then they do not matter", async () => {
    assert.deepStrictEqual(await csv("name,category,x,x\n"), [])
  })

  it("given lines that end with a carriage return alone, then it is rejected", async () => {
    assert.include(await refusal(csv("name,category\rTom,Cat\r")), "The lines end with a carriage return alone")
  })

  it("given a first line that cannot be read, then it is rejected", async () => {
    assert.include(await refusal(csv('"name"x,category\n')), "Line 1, which must name the columns, cannot be read")
  })
})

const ndjson = (text: string | Uint8Array, ...named: ReadonlyArray<string>): Promise<ReadonlyArray<SourceRow>> =>
  rowsOf(ndjsonSource(inPieces(Buffer.from(text), 5), readingOf(...named)))

const nothing = { category: undefined, status: undefined, quantity: undefined }

describe("the rows of an NDJSON file", () => {
  it("given objects, then each line is a row", async () => {
    assert.deepStrictEqual(said(await ndjson('{"name":"Tom","category":"Cat"}\r\n\n  \n{"name":"犬"}')), [
      [1, { ...nothing, name: "Tom", category: "Cat" }],
      [4, { ...nothing, name: "犬" }]
    ])
  })

  it("given named columns and nulls, then they are read from there, and null is nothing", async () => {
    const rows = await ndjson('{"animal":"Tom","name":"no","status":null}\n', "name=animal")
    assert.deepStrictEqual(said(rows), [[1, { ...nothing, name: "Tom" }]])
  })

  it("given text, then it is read as in CSV", async () => {
    const rows = await ndjson('{"name":" ","status":" sold ","quantity":"1.0"}\n{"quantity":1.0}\n')
    assert.deepStrictEqual(said(rows), [
      [1, { ...nothing, name: undefined, status: "sold", quantity: 1 }],
      [2, { ...nothing, name: undefined, quantity: 1 }]
    ])
  })

  it("given a fraction that a double would round to a whole number, then the row does not have that number", async () => {
    const rows = await ndjson('{"name":"Tom","quantity":1.0000000000000000001}\n{"name":"Tim","quantity":2.0}\n')
    assert.deepStrictEqual(said(rows), [
      [1, { ...nothing, name: "Tom", quantity: 1.0000000000000002 }],
      [2, { ...nothing, name: "Tim", quantity: 2 }]
    ])
  })

  it("given a field that every object inherits, then it is not taken for one of the row", async () => {
    assert.deepStrictEqual(said(await ndjson("{}\n", "name=toString")), [[1, { ...nothing, name: undefined }]])
  })

  for (const [name, line] of Object.entries({
    "an array": "[]",
    "a string": '"x"',
    null: "null"
  })) {
    it(`given ${name}, then only its line is rejected`, async () => {
      assert.deepStrictEqual(said(await ndjson(`{}\n${line}\n{}\n`)), [
        [1, { ...nothing, name: undefined }],
        [2, "it is not a JSON object"],
        [3, { ...nothing, name: undefined }]
      ])
    })
  }

  for (const [line, problem] of Object.entries({
    x: "expected a value, not x in column 1",
    '{"a":': "expected a value, not the end in column 6",
    '{"name": "Tom",}': "expected a name in double quotes, not } in column 16"
  })) {
    it(`given ${line}, then only its line is rejected, with the column where it is not JSON`, async () => {
      assert.deepStrictEqual(said(await ndjson(`{}\n${line}\n{}\n`)), [
        [1, { ...nothing, name: undefined }],
        [2, `it is not valid JSON: ${problem}`],
        [3, { ...nothing, name: undefined }]
      ])
    })
  }

  it("given bytes that are not UTF-8, then only their line is rejected", async () => {
    const rows = await ndjson(Buffer.concat([Buffer.from('{"name":"'), Buffer.of(0xff), Buffer.from('"}\n{}\n')]))
    assert.deepStrictEqual(said(rows), [
      [1, "it is not UTF-8"],
      [2, { ...nothing, name: undefined }]
    ])
  })

  it("given a line that is too long, then only it is rejected, and shown in part", async () => {
    const long = `{"name":"${"x".repeat(2 * maxRowBytes)}"}`
    const rows = await rowsOf(ndjsonSource(inPieces(Buffer.from(`{}\n${long}\n{}\n`), 65_536), readingOf()))
    assert.deepStrictEqual(
      rows.map(({ line, problem }) => [line, problem]),
      [
        [1, undefined],
        [2, `it is longer than ${maxRowBytes} bytes`],
        [3, undefined]
      ]
    )
    assert.isBelow(rows[1]?.bytes.length ?? 0, 1_001)
  })

  it("given no bytes, then there are no rows", async () => {
    assert.deepStrictEqual(await ndjson(""), [])
  })

  it("given that the first line is a page of rows, then the file is refused once, with what reads it", async () => {
    const page = '{"data":[{"name":"Tom"}]}'
    const refusal = await ndjson(`\n${page}\n${page}\n`).then(String, (error) => error.message)
    assert.match(refusal, /^The file has pages of rows, not a row on each line\. Import it with --format json/)
    assert.match((await ndjson(`{}\n${page}\n`))[1]?.problem ?? "", /it is a page of rows/)
  })
})

/** Reads JSON that arrives in pieces, each time from its beginning. */
const json = async (text: string | Uint8Array, size = 5): Promise<ReadonlyArray<SourceRow>> => {
  const chunks = { [Symbol.asyncIterator]: () => inPieces(Buffer.from(text), size) }
  return rowsOf(await jsonSource(chunks, readingOf()))
}

const tom = '{"name":"Tom","category":"Cat"}'
const tim = '{ "name": "T\\"]}i,m",\n  "category": "Cat", "tags": [{"a": [1, "]"]}, 2] }'
const bothRows = [
  [1, { ...nothing, name: "Tom", category: "Cat" }],
  [2, { ...nothing, name: 'T"]}i,m', category: "Cat" }]
]

describe("the rows of a JSON file", () => {
  for (const [name, text] of Object.entries({
    "an array": `[${tom},\n${tim}]`,
    "an array with blanks": ` [\r\n\t${tom} , ${tim} ]\n`,
    "a page": `{"items": [${tom},${tim}], "nextCursor": null}`,
    "a page with other members before and behind": `{"meta":{"x":[{"y":1}],"z":"]"},"count":2,"errors":[],"d\\"ata" :\n[${tom},${tim}],"links":["a"]}`,
    "pages behind each other": `{"data":[${tom}],"next":1}\n{"data":[${tim}]}{"data":[]}`,
    "arrays behind each other": `[${tom}][]\n[${tim}]`
  })) {
    for (const size of [1, 5, 1_000]) {
      it(`given ${name} in pieces of ${size} bytes, then each object is a row with its number`, async () => {
        assert.deepStrictEqual(said(await json(text, size)), bothRows)
      })
    }
  }

  for (const text of ["[]", "[ ]", '{"items":[]}', "[][]"]) {
    it(`given ${text}, then there are no rows`, async () => {
      assert.deepStrictEqual(await json(text), [])
    })
  }

  it("given elements that are no objects, then only they are rejected, with their bytes", async () => {
    const rows = await json(`[${tom}, "x" ,null,[1],${tim}]`)
    assert.deepStrictEqual(
      rows.map(({ bytes, line, problem }) => [line, problem ?? "", bytes.toString()]),
      [
        [1, "", tom],
        [2, "it is not a JSON object", '"x"'],
        [3, "it is not a JSON object", "null"],
        [4, "it is not a JSON object", "[1]"],
        [5, "", tim]
      ]
    )
  })

  it("given an element that is not UTF-8 and one that is too long, then only they are rejected", async () => {
    const latin = Buffer.from(`[{"name":"Zo\xeb"},{"name":"${"x".repeat(maxRowBytes)}"},${tom}]`, "latin1")
    const rows = await json(latin, 65_536)
    assert.deepStrictEqual(
      rows.map(({ problem }) => problem),
      ["it is not UTF-8", `it is longer than ${maxRowBytes} bytes`, undefined]
    )
    assert.deepStrictEqual(rows[0]?.bytes, Buffer.from('{"name":"Zo\xeb"}', "latin1"))
    assert.isBelow(rows[1]?.bytes.length ?? 0, 1_001)
  })

  const outside = (fault: string) => `The file is not valid JSON: what is around its rows cannot be parsed${fault}`
  const ends = (row: number, fault: string) =>
    `The file is not valid JSON: it ends within its row ${row}, in which a quote or a bracket may be missing; ${fault}`
  const noPage =
    "The file has an object that is no page with an array of rows; if it has an object on each line, add --format ndjson"
  for (const [text, says] of Object.entries({
    "": "The file is empty; it must have an array of rows",
    " \n": "The file is empty; it must have an array of rows",
    [`[${tom},`]: ends(2, "line 1, column 34: expected a value, not the end"),
    [`[${tom},\n{"name":"T`]: ends(2, "line 2, column 11: expected the quote that ends a string, not the end"),
    [`{"items":[${tom}]`]:
      "The file is not valid JSON: it ends before its last bracket; line 1, column 43: expected a comma or }, not the end",
    '["a': ends(1, "line 1, column 4: expected the quote that ends a string, not the end"),
    [`[\n${tom},\n]`]: outside("; line 3, column 1: expected a value, not ]"),
    [`[,${tom}]`]: outside("; line 1, column 2: expected a value or ], not ,"),
    [`[${tom}}`]: outside("; line 1, column 33: expected a comma or ], not }"),
    [`[${tom}]]`]: outside("; line 1, column 34: expected a value, not ]"),
    [`[${tom}] x`]: outside("; line 1, column 35: expected a value, not x"),
    [`[${tom}],[${tim}]`]: outside("; line 1, column 34: expected a value, not ,"),
    [`{"items" [${tom}]}`]: outside("; line 1, column 10: expected a colon, not ["),
    [`{[${tom}]}`]: outside("; line 1, column 2: expected a name in double quotes or }, not ["),
    [`{"items":[${tom}] "next":1}`]: outside('; line 1, column 44: expected a comma or }, not "'),
    [`{'items':[${tom}]}`]: outside("; line 1, column 2: expected a name in double quotes or }, not '"),
    "name,category": outside("; line 1, column 1: expected a value, not n"),
    "5": outside(""),
    '"x"': outside(""),
    [`[${tom} ${tim}]`]:
      "The file is not valid JSON: its row 1 cannot be parsed; line 1, column 34: expected a comma or ], not {",
    [`[${tom},{"name":"Tom,"category":"Cat"},${tom}]`]: ends(2, "line 1, column 48: expected a comma or }, not c"),
    [`[${tom},\n\n{"name":Tom},${tom}]`]:
      "The file is not valid JSON: its row 2 cannot be parsed; line 3, column 9: expected a value, not T",
    [`${tom}\n${tom}\n`]: noPage,
    '{"data":{"items":[{}]}}': noPage,
    '{"a":[{}],"b":[{}]}': 'The file has objects in "a" and "b"; keep only the array with the rows',
    '[{}]{"a":[{}]}': 'The file has objects in an array in no object and "a"; keep only the array with the rows',
    '{"a":[1]}': "The file has no array of objects"
  })) {
    for (const size of [1, 1_000]) {
      it(`given ${JSON.stringify(text)} in pieces of ${size} bytes, then it is rejected as a whole`, async () => {
        assert.strictEqual(await refusal(json(text, size)), says)
      })
    }
  }
})
