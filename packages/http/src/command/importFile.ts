import { nameKey } from "@petstore/core/domain"
import { Console, Effect, Option } from "effect"
import { CommandFailed, Stopped, UsageError } from "./CommandError.ts"
import { openOrCreate } from "./database.ts"
import { type Columns, parseColumns } from "./import/columns.ts"
import { csvSource } from "./import/csvSource.ts"
import { type Format, formatOf } from "./import/formats.ts"
import { type InputFile, openInput } from "./import/InputFile.ts"
import { type Counts, importPets, noCounts } from "./import/importPets.ts"
import { ndjsonSource } from "./import/ndjsonSource.ts"
import type { PetRow } from "./import/PetRow.ts"
import { Progress } from "./import/Progress.ts"
import { RejectedFile, rejectedPath } from "./import/RejectedFile.ts"
import type { RowSource } from "./import/SourceRow.ts"
import { makePetStore, type Stored } from "./import/storePets.ts"
import { describe } from "./outcome.ts"
import type { Database } from "./settings.ts"
import { untilStopped } from "./stopSignal.ts"

export interface ImportInput {
  readonly file: string
  readonly database: Database
  readonly columns: ReadonlyArray<string>
  readonly format: Option.Option<Format>
  readonly rejected: Option.Option<string>
  readonly fromLine: number
  readonly dryRun: boolean
  readonly strict: boolean
}

const shownReasons = 10

/** Does what can fail because of how the command was called. */
const usage = <A>(attempt: () => A | Promise<A>): Effect.Effect<A, UsageError> =>
  Effect.tryPromise({ try: async () => attempt(), catch: (error) => error }).pipe(
    Effect.catch((error) => (error instanceof UsageError ? Effect.fail(error) : Effect.die(error)))
  )

const chooseFormat = ({ file, format }: ImportInput): Format => {
  const chosen = Option.getOrElse(format, () => formatOf(file))
  if (chosen !== undefined) return chosen
  throw new UsageError({
    message: `The name ${JSON.stringify(file)} does not tell the format; give --format csv or --format ndjson`
  })
}

const openSource = async (format: Format, input: InputFile, columns: Columns): Promise<RowSource> =>
  format === "csv" ? csvSource(input.chunks, columns) : ndjsonSource(input.chunks, columns)

/** Takes every row, and counts the categories that they name. */
const makeDryStore = Effect.sync(() => {
  const named = new Set<string>()
  return (rows: ReadonlyArray<PetRow>): Effect.Effect<Stored> =>
    Effect.sync(() => {
      const before = named.size
      for (const { category } of rows) named.add(nameKey(category))
      return { refusals: rows.map(() => undefined), categories: named.size - before }
    })
})

/** How far an import got that did not get to its end. */
const soFar = ({ imported, line }: Counts): string =>
  line === 0
    ? "Nothing was imported"
    : `The rows up to line ${line} are done, ${imported} imported; go on with --from-line ${line + 1}`

const summary = (
  input: ImportInput,
  counts: Counts,
  reasons: ReadonlyMap<string, number>,
  report: string | undefined
) => {
  const frequent = [...reasons].sort(([, a], [, b]) => b - a)
  const others = frequent.slice(shownReasons).reduce((sum, [, count]) => sum + count, 0)
  return [
    `${input.dryRun ? "would import" : "imported"} ${counts.imported}`,
    `${input.dryRun ? "categories named" : "categories created"} ${counts.categories}`,
    `rejected ${counts.rejected}${report === undefined || counts.rejected === 0 ? "" : `, listed in ${report}`}`,
    ...frequent.slice(0, shownReasons).map(([reason, count]) => `  ${count}: ${reason}`),
    ...(others === 0 ? [] : [`  ${others}: other reasons`])
  ].join("\n")
}

/** Imports a file of pets. What is committed stays, however the import ends. */
export const run = Effect.fnUntraced(function* (input: ImportInput) {
  const columns = yield* usage(() => {
    const parsed = parseColumns(input.columns)
    if (typeof parsed === "string") throw new UsageError({ message: parsed })
    return parsed
  })
  const format = yield* usage(() => chooseFormat(input))
  const opened = yield* usage(() => openInput(input.file))
  const source = yield* usage(() => openSource(format, opened, columns))

  const asked = Option.getOrUndefined(input.rejected)
  const path = input.dryRun && asked === undefined ? undefined : yield* usage(() => rejectedPath(input.file, asked))
  const report = path === undefined ? undefined : new RejectedFile(path, source.titles)
  const reasons = new Map<string, number>()
  const progress = new Progress(process.stderr, () => performance.now())
  let counts = noCounts

  const importAll = <E, R>(store: (rows: ReadonlyArray<PetRow>) => Effect.Effect<Stored, E, R>) =>
    importPets({
      source,
      columns,
      fromLine: input.fromLine,
      store,
      onRejected: (row, reason) => {
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1)
        report?.add(row, reason)
      },
      onBatch: (sum) => {
        counts = sum
        progress.show(sum, opened.size === 0 ? undefined : opened.position() / opened.size)
      }
    })
  const work = input.dryRun
    ? Effect.flatMap(makeDryStore, importAll)
    : Effect.provide(Effect.flatMap(makePetStore, importAll), openOrCreate(input.database))

  yield* untilStopped(work).pipe(
    Effect.ensuring(
      Effect.sync(() => {
        progress.clear()
        report?.close()
      })
    ),
    Effect.catch((error) =>
      Effect.fail(
        error._tag === "Stopped"
          ? new Stopped({ signal: error.signal, message: soFar(counts) })
          : error._tag === "UsageError"
            ? error
            : new CommandFailed({ message: `${describe(error)} ${soFar(counts)}` })
      )
    )
  )
  yield* Console.log(summary(input, counts, reasons, path))
  if (input.strict && counts.rejected > 0) return yield* new CommandFailed({})
})
