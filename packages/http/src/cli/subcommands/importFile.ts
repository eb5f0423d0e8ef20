import { nameKey, type PetstoreError } from "@petstore/core/domain"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { openOrCreate } from "../database.ts"
import { Stopped, SubcommandFailed, UsageError } from "../errors.ts"
import { describe } from "../exitStatus.ts"
import { csvSource } from "../import/csvSource.ts"
import { startRun } from "../import/ImportRun.ts"
import { type Format, formatFlags, formatOf, parseReading, type Reading, settingsOf } from "../import/ImportSettings.ts"
import { checkInput, type InputFile, openInput, standardInput } from "../import/InputFile.ts"
import { type Counts, importPets, noCounts, rowsOf, type StoreBatch } from "../import/importPets.ts"
import { jsonSource } from "../import/jsonSource.ts"
import { ndjsonSource } from "../import/ndjsonSource.ts"
import { RejectedFile, rejectedPath } from "../import/RejectedFile.ts"
import type { RowSource, Unit } from "../import/SourceRow.ts"
import { Summary } from "../import/Summary.ts"
import { sampleInput } from "../import/sample.ts"
import type { Database } from "../settings.ts"
import { untilStopped } from "../stopSignal.ts"
import { Progress } from "../terminal/Progress.ts"
import { style } from "../terminal/text.ts"

export interface ImportInput {
  /** Whether the rows adjust stock. */
  readonly adjust: boolean
  readonly file: Option.Option<string>
  /** Whether to import the sample instead of a file. */
  readonly sample: boolean
  readonly database: Database
  readonly columns: ReadonlyArray<string>
  readonly delimiter: Option.Option<string>
  readonly statuses: ReadonlyArray<string>
  readonly defaultName: Option.Option<string>
  readonly format: Option.Option<Format>
  readonly rejected: Option.Option<string>
  readonly fromLine: number
  readonly again: boolean
  readonly dryRun: boolean
  readonly strict: boolean
}

const asFailure = (error: unknown): UsageError | SubcommandFailed | undefined => {
  if (error instanceof UsageError) return error
  return error instanceof Error && "code" in error
    ? new SubcommandFailed({ message: `The file cannot be read: ${error.message}. Nothing was imported` })
    : undefined
}

/** Runs a step that may fail because of the arguments or because a file cannot be read. */
export const usage = <A>(
  call: (signal: AbortSignal) => A | Promise<A>
): Effect.Effect<A, UsageError | SubcommandFailed> =>
  Effect.tryPromise({ try: async (signal) => call(signal), catch: (error) => error }).pipe(
    Effect.catch((error): Effect.Effect<never, UsageError | SubcommandFailed> => {
      const failure = asFailure(error)
      return failure === undefined ? Effect.die(error) : Effect.fail(failure)
    })
  )

/** The name of the file; undefined for the sample. */
export const chooseFile = ({ file, sample }: ImportInput): string | undefined => {
  if (sample && Option.isSome(file)) throw new UsageError({ message: "--sample takes no FILE" })
  if (!sample && Option.isNone(file)) throw new UsageError({ message: "FILE is missing. See petstore import --help" })
  return Option.getOrUndefined(file)
}

export const chooseFormat = (file: string | undefined, format: Option.Option<Format>): Format => {
  if (file === undefined) return "csv"
  const chosen = Option.getOrElse(format, () => formatOf(file))
  if (chosen !== undefined) return chosen
  const name =
    file === standardInput ? "Standard input has no name that shows" : `The name ${JSON.stringify(file)} does not show`
  throw new UsageError({ message: `${name} the format; add one of ${formatFlags}` })
}

const sources: Readonly<
  Record<Format, (chunks: InputFile["chunks"], reading: Reading) => RowSource | Promise<RowSource>>
> = { csv: csvSource, ndjson: ndjsonSource, json: jsonSource }

const readingOf = ({ columns, defaultName, delimiter, statuses }: ImportInput, format: Format): Reading =>
  parseReading(
    {
      columns,
      statuses,
      delimiter: Option.getOrUndefined(delimiter),
      defaultName: Option.getOrUndefined(defaultName)
    },
    format
  )

/** Accepts every row without storing it, and counts the categories. */
const dryStore = (): StoreBatch<never, never> => {
  const named = new Set<string>()
  return ({ pets, rejected }) =>
    Effect.sync(() => {
      const before = named.size
      for (const { category } of pets) named.add(nameKey(category))
      return { imported: pets.length, rejected, categories: named.size - before, isKnown: false }
    })
}

/** Opens the file of rejected rows until the scope closes. */
const openReport = (
  path: string | undefined,
  source: RowSource
): Effect.Effect<RejectedFile | undefined, never, Scope.Scope> =>
  path === undefined
    ? Effect.undefined
    : Effect.acquireRelease(
        Effect.sync(() => new RejectedFile(path, source)),
        (report) => Effect.sync(() => report.close())
      )

/** Where rejected rows are written; undefined for the sample, and for a trial that does not ask for it. */
const reportPath = ({ dryRun, rejected }: ImportInput, file: string | undefined, { titles }: RowSource) =>
  file === undefined || (dryRun && Option.isNone(rejected))
    ? undefined
    : rejectedPath(file, Option.getOrUndefined(rejected), titles === undefined ? "ndjson" : "csv")

/** Describes how far a stopped import got. */
const soFar = ({ imported, line }: Counts, unit: Unit, { again, dryRun }: ImportInput): string => {
  if (line === 0 || dryRun) return "Nothing was imported"
  const resume = `run the same command ${again ? "without --again" : "again"} to resume`
  return `The rows up to ${unit} ${line} are done, ${imported} imported; ${resume}`
}

/** A changed file counts as another file, so the same command would import all its rows again. */
const changedBehind = ({ imported, line }: Counts, unit: Unit) =>
  new SubcommandFailed({
    message: `The file changed while it was imported. The rows up to ${unit} ${line} are done, ${imported} imported. If rows were appended, import them with --from-line ${line + 1}`
  })

/** Notes when the batches begin that no earlier run has stored. */
const announcing = <E>(store: StoreBatch<E, never>, resumed: Effect.Effect<void>): StoreBatch<E, never> => {
  let isResuming = false
  return (batch) =>
    Effect.tap(store(batch), ({ isKnown }) => {
      const begins = isResuming && !isKnown
      isResuming = isKnown
      return begins ? resumed : Effect.void
    })
}

/** Imports a file of pets. Committed rows stay if the import stops, and the next call resumes after them. */
export const run = Effect.fnUntraced(function* (input: ImportInput) {
  const summary = new Summary()
  const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
  let counts = noCounts
  let unit: Unit = "line"
  let path: string | undefined
  let more: string | undefined

  const explained = (error: SubcommandFailed | PetstoreError): SubcommandFailed =>
    new SubcommandFailed({ message: `${describe(error)} ${soFar(counts, unit, input)}` })

  const importing = Effect.gen(function* () {
    const file = yield* usage(() => chooseFile(input))
    if (file !== undefined) yield* usage(() => checkInput(file))
    const format = yield* usage(() => chooseFormat(file, input.format))
    const reading = yield* usage(() => readingOf(input, format))
    const opened = yield* Effect.acquireRelease(
      usage((signal) => (file === undefined ? sampleInput() : openInput(file, signal))),
      ({ close }) => Effect.promise(close),
      { interruptible: true }
    )
    const source = yield* usage(() => sources[format](opened.chunks, reading))
    unit = source.unit
    more = source.more
    path = yield* usage(() => reportPath(input, file, source))

    const importAll = Effect.fnUntraced(function* <E>(store: StoreBatch<E, never>) {
      const report = yield* openReport(path, source)
      yield* importPets({
        store,
        source,
        reading,
        fromLine: input.fromLine,
        onRead: (row) => summary.onRead(row),
        onRejected: (row, reason) => {
          summary.onRejected(reason)
          report?.add(row, reason)
        },
        onBatch: (sum) => {
          counts = sum
          const text = `${rowsOf(sum.imported)} imported, ${sum.rejected} rejected`
          progress.show(text, opened.size === 0 ? 1 : opened.position() / opened.size)
        }
      })
      report?.sync()
    })
    if (input.dryRun) return yield* importAll(dryStore())

    const resumed = Effect.suspend(() => {
      progress.clear()
      const { imported, line, rejected } = counts
      return Console.error(`Resuming after ${unit} ${line}: ${imported} imported and ${rejected} rejected so far.`)
    })
    const imported = Effect.gen(function* () {
      const { finish, store } = yield* startRun(
        { digest: opened.digest, settings: settingsOf(format, reading, input.fromLine) },
        input.again
      )
      yield* Effect.mapError(importAll(announcing(store, resumed)), explained)
      if (!opened.isUnchanged()) return yield* changedBehind(counts, unit)
      yield* Effect.mapError(finish(counts), explained)
    })
    yield* Effect.provide(imported, openOrCreate(input.database))
  })

  yield* untilStopped(Effect.scoped(importing)).pipe(
    Effect.ensuring(Effect.sync(() => progress.clear())),
    Effect.catchTag("Stopped", ({ signal }) =>
      Effect.fail(new Stopped({ signal, message: soFar(counts, unit, input) }))
    )
  )
  yield* Console.log(summary.text(counts, input.dryRun, path))
  if (more !== undefined) yield* Console.error(more)
  if (input.strict && counts.rejected > 0) return yield* new SubcommandFailed({})
})
