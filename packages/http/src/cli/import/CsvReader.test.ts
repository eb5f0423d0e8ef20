import { assert, describe, it } from "@effect/vitest"
import { parse } from "csv-parse/sync"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { CsvReader, type CsvRecord, maxRecordBytes } from "./CsvReader.ts"

/** Reads a file that arrives in pieces of these sizes, again and again. */
const readBytes = (bytes: Buffer, sizes: ReadonlyArray<number> = [bytes.length || 1]): ReadonlyArray<CsvRecord> => {
  const reader = new CsvReader()
  const records: Array<CsvRecord> = []
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] ?? 1
    for (const record of reader.read(bytes.subarray(at, at + size))) records.push(record)
    at += size
  }
  return records.concat(reader.end())
}

/** What the cases below compare of a record. */
const read = (text: string) =>
  readBytes(Buffer.from(text)).map(({ cells, line, problem }) => ({
    line,
    cells,
    ...(problem === undefined ? {} : { problem })
  }))

/** The bytes of a record in the file, as text. */
const bytesOf = ({ bytes }: CsvRecord): string => bytes.toString("latin1")

const notUtf8 = Buffer.from([0x52, 0xff, 0x78])

/** Files, and their records. */
const cases: Readonly<Record<string, readonly [text: string, records: ReturnType<typeof read>]>> = {
  "no bytes": ["", []],
  "one line": ["a,b\n", [{ line: 1, cells: ["a", "b"] }]],
  "a last line without its end": [
    "a\nb",
    [
      { line: 1, cells: ["a"] },
      { line: 2, cells: ["b"] }
    ]
  ],
  CRLF: [
    "a,b\r\nc,d\r\n",
    [
      { line: 1, cells: ["a", "b"] },
      { line: 2, cells: ["c", "d"] }
    ]
  ],
  "LF and CRLF mixed": ["a\nb\r\nc", [1, 2, 3].map((line) => ({ line, cells: [" abc"[line] ?? ""] }))],
  "empty fields": [",,\n", [{ line: 1, cells: ["", "", ""] }]],
  "empty lines": [
    "a\n\n\r\nb\n\n",
    [
      { line: 1, cells: ["a"] },
      { line: 4, cells: ["b"] }
    ]
  ],
  "a line of blanks, which is not empty": ["  \n", [{ line: 1, cells: ["  "] }]],
  "a field in quotes that is empty": ['""\n', [{ line: 1, cells: [""] }]],
  "commas in quotes": ['"a,b",c\n', [{ line: 1, cells: ["a,b", "c"] }]],
  "quotes in quotes": ['"say ""hi""",""""\n', [{ line: 1, cells: ['say "hi"', '"'] }]],
  "quotes within a field without quotes": ['5" tall,x"y\n', [{ line: 1, cells: ['5" tall', 'x"y'] }]],
  "blanks around quotes, which belong to neither": [
    ' "a" ,\t "b, c"\t\r\nd , e\n',
    [
      { line: 1, cells: ["a", "b, c"] },
      { line: 2, cells: ["d ", " e"] }
    ]
  ],
  "blanks of Unicode around quotes": [
    '\u00a0"a"\u3000,\u2003\u202f"b, c"\f\n\u3042,"d"\n',
    [
      { line: 1, cells: ["a", "b, c"] },
      { line: 2, cells: ["\u3042", "d"] }
    ]
  ],
  "text behind a quoted field with blanks around it": [
    ' "a" b,c\nd\n',
    [
      { line: 1, cells: [], problem: "text follows a closing quote" },
      { line: 2, cells: ["d"] }
    ]
  ],
  "a byte of zero": ["a\0,b\n", [{ line: 1, cells: ["a\0", "b"] }]],
  "quotes before CRLF": [
    '"a"\r\n"b"\r\n',
    [
      { line: 1, cells: ["a"] },
      { line: 2, cells: ["b"] }
    ]
  ],
  "quotes before the end of the file": ['"a","b"', [{ line: 1, cells: ["a", "b"] }]],
  "lines within quotes": [
    '"a\nb\n",c\nd\n',
    [
      { line: 1, cells: ["a\nb\n", "c"] },
      { line: 4, cells: ["d"] }
    ]
  ],
  "CRLF within quotes": [
    '"a\r\nb",c\r\nd\r\n',
    [
      { line: 1, cells: ["a\r\nb", "c"] },
      { line: 3, cells: ["d"] }
    ]
  ],
  "a lone carriage return, which ends nothing": ["a\rb\n", [{ line: 1, cells: ["a\rb"] }]],
  "letters of several bytes": ["Zoë,犬,🐶\n", [{ line: 1, cells: ["Zoë", "犬", "🐶"] }]],
  "text behind a closing quote": [
    'a\n"b"c,"d\ne\n',
    [
      { line: 1, cells: ["a"] },
      { line: 2, cells: [], problem: "text follows a closing quote" },
      { line: 3, cells: ["e"] }
    ]
  ],
  "a carriage return behind a closing quote": [
    '"b"\r,c\nd\n',
    [
      { line: 1, cells: [], problem: "text follows a closing quote" },
      { line: 2, cells: ["d"] }
    ]
  ],
  "an open quote": [
    'a\n"b,c\r\nd\ne',
    [
      { line: 1, cells: ["a"] },
      { line: 2, cells: [], problem: "a quote is not closed" },
      { line: 3, cells: ["d"] },
      { line: 4, cells: ["e"] }
    ]
  ]
}

describe("a CSV file", () => {
  for (const [name, [text, expected]] of Object.entries(cases)) {
    it(`given ${name}, then every record comes with its line`, () => {
      assert.deepStrictEqual(read(text), expected)
    })
  }

  // If this list becomes empty, csv-parse can replace the reader.
  it("given csv-parse, then it loses what follows a malformed record, and rejects quotes that others accept", () => {
    const readBy = (text: string) => {
      const records: Array<ReadonlyArray<string>> = []
      const on_skip = () => void records.push([])
      const options = { relax_column_count: true, skip_empty_lines: true, skip_records_with_error: true, on_skip }
      const on_record = (record: Array<string>) => {
        records.push(record)
        return record
      }
      parse(text, { ...options, record_delimiter: ["\r\n", "\n"], on_record })
      return records
    }
    const others = Object.entries(cases).filter(
      ([, [text, expected]]) => JSON.stringify(readBy(text)) !== JSON.stringify(expected.map(({ cells }) => cells))
    )
    assert.deepStrictEqual(
      others.map(([name]) => name),
      [
        "quotes within a field without quotes",
        "blanks around quotes, which belong to neither",
        "blanks of Unicode around quotes",
        "text behind a quoted field with blanks around it",
        "text behind a closing quote",
        "a carriage return behind a closing quote",
        "an open quote"
      ]
    )
  })

  it("given bytes that are not UTF-8, then only their record is rejected", () => {
    const bytes = Buffer.concat([Buffer.from("a\n"), notUtf8, Buffer.from("\nb\n")])
    assert.deepStrictEqual(
      readBytes(bytes).map((record) => [record.line, bytesOf(record), record.problem]),
      [
        [1, "a", undefined],
        [2, notUtf8.toString("latin1"), "it is not UTF-8"],
        [3, "b", undefined]
      ]
    )
  })

  it("given records that cannot be read, then they keep their bytes", () => {
    const lines = ['"b"c,\xff,"d', `"${"x".repeat(5_000)}\xe9`]
    const records = readBytes(Buffer.from(`${lines.join("\r\n")}\r\n`, "latin1"))
    assert.deepStrictEqual(records.map(bytesOf), lines)
  })

  it("given records over several lines, then only they are marked", () => {
    const records = readBytes(Buffer.from('a\r\n"b\nc"\n"d\n'))
    assert.deepStrictEqual(
      records.map(({ spansLines }) => spansLines),
      [false, true, false]
    )
  })

  const tooLong = `it is longer than ${maxRecordBytes} bytes, or a quote is not closed`

  for (const [name, long] of Object.entries({
    "a line that is too long": "x".repeat(3 * maxRecordBytes),
    "an open quote, and lines behind it that could be in it": `"x\n${"y,z\n".repeat(maxRecordBytes / 3)}"`
  })) {
    it(`given ${name}, then the record is rejected and the lines behind it are read`, () => {
      const records = readBytes(Buffer.from(`a\n${long}\nb\n`), [65_536])
      const refused = records.filter(({ problem }) => problem !== undefined)
      assert.deepStrictEqual(
        refused.slice(0, 1).map(({ line, problem }) => ({ line, problem })),
        [{ line: 2, problem: tooLong }]
      )
      assert.isBelow(refused[0]?.bytes.length ?? 0, 1_001)
      const { cells, line } = records.at(-1) ?? {}
      assert.deepStrictEqual({ line, cells }, { line: long.split("\n").length + 2, cells: ["b"] })
    })
  }
})

const piece = Arbitrary.schema(Schema.Literals(["a", "b", "é", "犬", "🐶", ",", '"', "\n", "\r\n", " "]))
const textOf = (one: Arbitrary.Arbitrary<string>, maxLength: number) =>
  Arbitrary.map(Arbitrary.array(one, { maxLength }), (parts) => parts.join(""))

/** A field, and whether it is in quotes although it need not be. */
const cell = Arbitrary.all([textOf(piece, 6), Arbitrary.schema(Schema.Boolean)])
const written = ([text, always]: readonly [string, boolean]): string =>
  always || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text

/** A file as others write it, and its records. */
const file = Arbitrary.map(
  Arbitrary.all([
    Arbitrary.array(Arbitrary.array(cell, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
    Arbitrary.schema(Schema.Literals(["\n", "\r\n"])),
    Arbitrary.schema(Schema.Boolean)
  ]),
  ([records, end, ended]) => {
    const lines = records.map((cells) => cells.map(written).join(","))
    return {
      text: lines.join(end) + (ended && lines.at(-1) !== undefined ? end : ""),
      // One empty field without quotes is an empty line.
      records: records.filter((_, at) => lines[at] !== "").map((cells) => cells.map(([text]) => text))
    }
  }
)

const sizes = Arbitrary.array(Arbitrary.schema(Schema.Literals([1, 2, 3, 5, 8])), { minLength: 1, maxLength: 4 })

describe("any CSV file", () => {
  it.prop(
    "is read as it was written, on the lines on which its records begin",
    { file },
    ({ file: { records, text } }) => {
      const found = read(text)
      assert.deepStrictEqual(
        found.map(({ cells }) => cells),
        records
      )
      const lines = text.split("\n")
      for (const { cells, line } of found) {
        const beginning = cells[0]?.split(/["\n\r]/)[0] ?? ""
        assert.isTrue(lines[line - 1]?.replace(/^"/, "").startsWith(beginning), `${line}: ${JSON.stringify(cells)}`)
      }
    }
  )

  it.prop("is read as csv-parse reads it", { file }, ({ file: { text } }) => {
    const others = parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: ["\r\n", "\n"] })
    assert.deepStrictEqual(
      read(text).map(({ cells }) => cells),
      others
    )
  })

  it.prop("is the same in whatever pieces it arrives", { file, sizes }, ({ file: { text }, sizes: pieces }) => {
    const bytes = Buffer.from(text)
    assert.deepStrictEqual(readBytes(bytes, pieces), readBytes(bytes))
  })

  const anything = textOf(Arbitrary.schema(Schema.Literals(["a", ",", '"', "\n", "\r\n", "\r"])), 30)

  it.prop(
    "that is broken is the same in whatever pieces it arrives",
    { text: anything, sizes },
    ({ text, sizes: pieces }) => {
      const bytes = Buffer.from(text)
      assert.deepStrictEqual(readBytes(bytes, pieces), readBytes(bytes))
    }
  )

  it.prop("that is broken loses no line behind the broken record", { text: anything }, ({ text }) => {
    const broken = `"x"y${text.replaceAll('"', "")}\nlast,line\n`
    assert.deepStrictEqual(read(broken).at(-1)?.cells, ["last", "line"])
  })
})
