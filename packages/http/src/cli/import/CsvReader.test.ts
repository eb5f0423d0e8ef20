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

/** A record by its line: its cells, or what is wrong with it. */
type Found = readonly [line: number, found: ReadonlyArray<string> | string]

const read = (text: string): ReadonlyArray<Found> =>
  readBytes(Buffer.from(text)).map(({ cells, line, problem }) => [line, problem ?? cells])

/** The bytes of a record in the file, as text. */
const bytesOf = ({ bytes }: CsvRecord): string => bytes.toString("latin1")

const notUtf8 = Buffer.from([0x52, 0xff, 0x78])

/** Files, and their records. */
const cases: Readonly<Record<string, readonly [text: string, ...records: ReadonlyArray<Found>]>> = {
  "no bytes": [""],
  "one line": ["a,b\n", [1, ["a", "b"]]],
  "a last line without its end": ["a\nb", [1, ["a"]], [2, ["b"]]],
  CRLF: ["a,b\r\nc,d\r\n", [1, ["a", "b"]], [2, ["c", "d"]]],
  "LF and CRLF mixed": ["a\nb\r\nc", [1, ["a"]], [2, ["b"]], [3, ["c"]]],
  "empty fields": [",,\n", [1, ["", "", ""]]],
  "empty lines": ["a\n\n\r\nb\n\n", [1, ["a"]], [4, ["b"]]],
  "a line of blanks, which is not empty": ["  \n", [1, ["  "]]],
  "a field in quotes that is empty": ['""\n', [1, [""]]],
  "commas in quotes": ['"a,b",c\n', [1, ["a,b", "c"]]],
  "quotes in quotes": ['"say ""hi""",""""\n', [1, ['say "hi"', '"']]],
  "quotes within a field without quotes": ['5" tall,x"y\n', [1, ['5" tall', 'x"y']]],
  "blanks around quotes, which belong to neither": [
    ' "a" ,\t "b, c"\t\r\nd , e\n',
    [1, ["a", "b, c"]],
    [2, ["d ", " e"]]
  ],
  "blanks of Unicode around quotes": [
    '\u00a0"a"\u3000,\u2003\u202f"b, c"\f\n\u3042,"d"\n',
    [1, ["a", "b, c"]],
    [2, ["\u3042", "d"]]
  ],
  "text behind a quoted field with blanks around it": [
    ' "a" b,c\nd\n',
    [1, "text follows a closing quote"],
    [2, ["d"]]
  ],
  "a byte of zero": ["a\0,b\n", [1, ["a\0", "b"]]],
  "quotes before CRLF": ['"a"\r\n"b"\r\n', [1, ["a"]], [2, ["b"]]],
  "quotes before the end of the file": ['"a","b"', [1, ["a", "b"]]],
  "lines within quotes": ['"a\nb\n",c\nd\n', [1, ["a\nb\n", "c"]], [4, ["d"]]],
  "CRLF within quotes": ['"a\r\nb",c\r\nd\r\n', [1, ["a\r\nb", "c"]], [3, ["d"]]],
  "a lone carriage return, which ends nothing": ["a\rb\n", [1, ["a\rb"]]],
  "letters of several bytes": ["Zoë,犬,🐶\n", [1, ["Zoë", "犬", "🐶"]]],
  "text behind a closing quote": ['a\n"b"c,"d\ne\n', [1, ["a"]], [2, "text follows a closing quote"], [3, ["e"]]],
  "a carriage return behind a closing quote": ['"b"\r,c\nd\n', [1, "text follows a closing quote"], [2, ["d"]]],
  "an open quote": ['a\n"b,c\r\nd\ne', [1, ["a"]], [2, "a quote is not closed"], [3, ["d"]], [4, ["e"]]]
}

describe("a CSV file", () => {
  for (const [name, [text, ...expected]] of Object.entries(cases)) {
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
      ([, [text, ...expected]]) =>
        JSON.stringify(readBy(text)) !==
        JSON.stringify(expected.map(([, found]) => (typeof found === "string" ? [] : found)))
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
        found.map(([, cells]) => cells),
        records
      )
      const lines = text.split("\n")
      for (const [line, cells] of found) {
        const beginning = cells[0]?.split(/["\n\r]/)[0] ?? ""
        assert.isTrue(lines[line - 1]?.replace(/^"/, "").startsWith(beginning), `${line}: ${JSON.stringify(cells)}`)
      }
    }
  )

  it.prop("is read as csv-parse reads it", { file }, ({ file: { text } }) => {
    const others = parse(text, { relax_column_count: true, skip_empty_lines: true, record_delimiter: ["\r\n", "\n"] })
    assert.deepStrictEqual(
      read(text).map(([, cells]) => cells),
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
    assert.deepStrictEqual(read(broken).at(-1)?.[1], ["last", "line"])
  })
})
