import { isUtf8 } from "node:buffer"
import { jsonFault, repeatedName } from "../../jsonFault.ts"
import { parseJson } from "../../parseJson.ts"
import type { Reading } from "./ImportSettings.ts"
import { fields, readValue, type SourceRow } from "./SourceRow.ts"

/** The longest row that is read, in bytes. */
export const maxRowBytes = 1_048_576

const keptOfTooLong = 1_000

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}

/** Without the line: the row has one line of the file, whose number is shown with the problem. */
const problemOf = (text: string): string => {
  const fault = jsonFault(text)
  return `it is not valid JSON${fault === undefined ? "" : `: ${fault.problem} in column ${fault.column}`}`
}

const memberOf = (object: Readonly<Record<string, unknown>>, title: string): unknown =>
  Object.hasOwn(object, title) ? object[title] : undefined

/** Whether an object is a page with rows instead of a row. */
export const isPage = (object: unknown, columns: Reading["columns"]): boolean =>
  isObject(object) &&
  !fields.some((field) => Object.hasOwn(object, columns[field].title)) &&
  Object.values(object).some((value) => Array.isArray(value) && isObject(value[0]))

const page = "it is a page of rows; import the file with --format json"

/** Whether a row is refused because it is a page of rows. */
export const isPageOfRows = ({ problem }: SourceRow): boolean => problem === page

export const readJsonRow = ({ columns }: Reading, line: number, bytes: Buffer): SourceRow => {
  const row = { line, bytes, isCsv: false }
  if (bytes.length > maxRowBytes) {
    // A copy, so that the rest need not stay in memory.
    return {
      ...row,
      bytes: Buffer.from(bytes.subarray(0, keptOfTooLong)),
      problem: `it is longer than ${maxRowBytes} bytes`
    }
  }
  if (!isUtf8(bytes)) return { ...row, problem: "it is not UTF-8" }
  const text = bytes.toString("utf8")
  const object = parse(text)
  if (object === undefined) return { ...row, problem: problemOf(text) }
  if (!isObject(object)) return { ...row, problem: "it is not a JSON object" }
  const repeated = repeatedName(text)
  if (repeated !== undefined) return { ...row, problem: `it has ${JSON.stringify(repeated.slice(0, 40))} twice` }
  if (isPage(object, columns)) return { ...row, problem: page }
  const values = fields.map((field) => [field, readValue(field, memberOf(object, columns[field].title))])
  return { ...row, values: Object.fromEntries(values) }
}
