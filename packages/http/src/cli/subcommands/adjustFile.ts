import { randomUUID } from "node:crypto"
import {
  InventoryAdjustments,
  limits,
  PetAdjustment,
  PetstoreError,
  validator,
  withoutInput
} from "@petstore/core/domain"
import { UseCaseRunner, useCases } from "@petstore/core/runtime"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import { parseJson } from "../../parseJson.ts"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { describe } from "../exitStatus.ts"
import { CsvReader, type CsvRecord } from "../import/CsvReader.ts"
import { type Format, parseReading } from "../import/ImportSettings.ts"
import { type InputFile, openInput } from "../import/InputFile.ts"
import { chooseFile, chooseFormat, type ImportInput, usage } from "./importFile.ts"

/** An adjustment that is not validated yet, and where it is: its line, or in JSON its number. */
interface Row {
  readonly line: number
  readonly values: unknown
}

const fields: ReadonlyArray<string> = Object.keys(PetAdjustment.fields)
const numbers = ["petId", "delta"]
const required = ["petId", "delta", "reason"]

/** In bytes. 1,000 adjustments with the longest texts have about half of it. */
const maxBytes = 4_194_304

const readCell = (field: string, cell = ""): unknown => {
  const text = cell.trim()
  return numbers.includes(field) && /^[+-]?\d{1,16}$/.test(text) ? Number(text) : text
}

const readRecord = (titles: ReadonlyArray<string>, { cells, line, problem }: CsvRecord): Row => {
  const wrong =
    problem ?? (cells.length === titles.length ? undefined : `it has ${cells.length} fields, not ${titles.length}`)
  if (wrong !== undefined) throw new UsageError({ message: `Line ${line}: ${wrong}. Nothing was adjusted` })
  const values = titles.flatMap((title, at) =>
    fields.includes(title) && cells[at]?.trim() !== "" ? [[title, readCell(title, cells[at])]] : []
  )
  return { line, values: Object.fromEntries(values) }
}

const readCsv = (bytes: Buffer, delimiter: string): ReadonlyArray<Row> => {
  const reader = new CsvReader(delimiter)
  const [header, ...records] = [...reader.read(bytes), ...reader.end()]
  const titles = (header?.cells ?? []).map((cell) => cell.trim())
  const missing = required.filter((field) => !titles.includes(field))
  if (missing.length > 0) {
    throw new UsageError({
      message: `The first line must name the columns ${fields.join(", ")}; ${missing.join(", ")} is missing`
    })
  }
  return records
    .filter(({ cells, problem }) => problem !== undefined || cells.some((cell) => cell.trim() !== ""))
    .map((record) => readRecord(titles, record))
}

const parsed = (text: string, place: string): unknown => {
  try {
    return parseJson(text)
  } catch {
    throw new UsageError({ message: `${place} is not valid JSON. Nothing was adjusted` })
  }
}

const readNdjson = (text: string): ReadonlyArray<Row> =>
  text
    .split("\n")
    .flatMap((each, at) => (each.trim() === "" ? [] : [{ line: at + 1, values: parsed(each, `Line ${at + 1}`) }]))

const readJson = (text: string): ReadonlyArray<Row> => {
  const rows = parsed(text, "The file")
  if (!Array.isArray(rows)) throw new UsageError({ message: "The file must be an array of adjustments" })
  return rows.map((values: unknown, at) => ({ line: at + 1, values }))
}

const readRows = async (
  { chunks, size }: InputFile,
  format: Format,
  delimiter: string
): Promise<ReadonlyArray<Row>> => {
  const tooMany = `The file has more than ${limits.batch} adjustments; split it into files that each take effect as a whole`
  if (size > maxBytes) throw new UsageError({ message: tooMany })
  const parts: Array<Uint8Array> = []
  for await (const chunk of chunks) parts.push(chunk)
  const bytes = Buffer.concat(parts)
  const rows =
    format === "csv"
      ? readCsv(bytes, delimiter)
      : format === "json"
        ? readJson(String(bytes))
        : readNdjson(String(bytes))
  if (rows.length > limits.batch) throw new UsageError({ message: tooMany })
  if (rows.length === 0) throw new UsageError({ message: "The file has no adjustments" })
  return rows
}

const validate = validator(InventoryAdjustments)

/** The adjustments of the rows. Throws a {@link UsageError} that names the rows which have none. */
const adjustmentsIn = (rows: ReadonlyArray<Row>, unit: string) =>
  Result.getOrElse(validate("/body", { adjustments: rows.map(({ values }) => values) }), (violations) => {
    const problems = violations.map(({ message, path }) => {
      const [, , , index = "", field] = path.split("/")
      const place = field === undefined ? "" : `${field}: `
      return `${unit} ${rows[Number(index)]?.line}: ${place}${withoutInput(message)}`
    })
    throw new UsageError({ message: `${problems.join("; ")}. Nothing was adjusted` })
  })

const ofPets = ({ columns, defaultName, fromLine, rejected, sample, statuses, strict }: ImportInput): boolean =>
  sample ||
  strict ||
  fromLine > 1 ||
  columns.length + statuses.length > 0 ||
  Option.isSome(defaultName) ||
  Option.isSome(rejected)

/** Adjusts stock by a file: all rows take effect, or none. A file takes effect once. */
export const run = Effect.fnUntraced(function* (input: ImportInput) {
  const { again, database, dryRun } = input
  if (ofPets(input)) {
    return yield* new UsageError({ message: "--adjust takes only FILE, --format, --delimiter, --again and --dry-run" })
  }
  const file = yield* usage(() => chooseFile(input) ?? "")
  const format = yield* usage(() => chooseFormat(file, input.format))
  const { delimiter } = yield* usage(() => parseReading({ delimiter: Option.getOrUndefined(input.delimiter) }, format))
  const opened = yield* Effect.acquireRelease(
    usage((signal) => openInput(file, signal)),
    ({ close }) => Effect.promise(close)
  )
  const rows = yield* usage(() => readRows(opened, format, delimiter))
  const unit = format === "json" ? "Row" : "Line"
  const { adjustments } = yield* usage(() => adjustmentsIn(rows, unit))
  const count = rows.length === 1 ? "1 adjustment" : `${rows.length} adjustments`
  if (dryRun) return yield* Console.log(`would make ${count}`)
  const idempotencyKey = again ? randomUUID() : `adjust:${opened.digest}`
  const { replayed } = yield* Effect.flatMap(UseCaseRunner, ({ call }) =>
    call(useCases.inventory.adjustAll, adjustments, { idempotencyKey })
  ).pipe(
    Effect.provide(openExisting(database)),
    Effect.mapError((error) => {
      const row = error instanceof PetstoreError ? rows[Number(error.details?.index)] : undefined
      return row === undefined
        ? error
        : new SubcommandFailed({ message: `${unit} ${row.line}: ${describe(error)} Nothing was adjusted` })
    })
  )
  if (replayed) {
    return yield* new SubcommandFailed({
      message: "This file took effect before. To make its adjustments again, add --again"
    })
  }
  yield* Console.log(`made ${count}`)
}, Effect.scoped)
