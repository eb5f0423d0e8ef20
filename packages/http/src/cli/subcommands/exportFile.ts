import { existsSync } from "node:fs"
import { type FileHandle, open, rename, rm } from "node:fs/promises"
import { Storage } from "@petstore/core/effect"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { type Exported, type ExportFormat, kinds, lineOf } from "../export/exportedRows.ts"
import { formatOf } from "../import/ImportSettings.ts"
import { standardInput as standardStream } from "../import/InputFile.ts"
import type { Database } from "../settings.ts"
import { Progress } from "../terminal/Progress.ts"
import { style } from "../terminal/text.ts"

interface ExportInput {
  readonly what: Exported
  readonly file: string
  readonly format: Option.Option<ExportFormat>
  readonly database: Database
}

const chooseFormat = ({ file, format }: ExportInput): Effect.Effect<ExportFormat, UsageError> => {
  const chosen = Option.getOrElse(format, () => formatOf(file))
  if (chosen === "csv" || chosen === "ndjson") return Effect.succeed(chosen)
  return Effect.fail(
    new UsageError({
      message: `The name ${JSON.stringify(file)} does not show the format; end it in .csv or .ndjson, or add --format csv or --format ndjson`
    })
  )
}

/** Where the lines go. */
interface Output {
  readonly write: (text: string) => Promise<unknown>
  readonly finish: () => Promise<unknown>
}

const standardOutput: Output = {
  write: (text) =>
    new Promise<void>((resolve, reject) => {
      process.stdout.write(text, (error) => (error ? reject(error) : resolve()))
    }),
  finish: () => Promise.resolve()
}

const writing = <A>(file: string, step: () => Promise<A>): Effect.Effect<A, SubcommandFailed> =>
  Effect.tryPromise({
    try: step,
    catch: (error) =>
      new SubcommandFailed({
        message: `Cannot write ${JSON.stringify(file)}: ${error instanceof Error ? error.message : error}. Nothing was exported`
      })
  })

/** Writes beside the file, which receives its name when it is complete. Only its owner may read it: it has data of customers. */
const openOutput = (file: string) => {
  if (file === standardStream) return Effect.succeed(standardOutput)
  const partial = `${file}.partial`
  return Effect.map(
    Effect.acquireRelease(
      writing(file, () => open(partial, "w", 0o600)),
      (handle: FileHandle) =>
        Effect.promise(async () => {
          await handle.close()
          await rm(partial, { force: true })
        })
    ),
    (handle): Output => ({
      write: (text) => handle.writeFile(text),
      finish: async () => {
        await handle.sync()
        await rename(partial, file)
      }
    })
  )
}

/** Writes all rows of one moment to a new file or to standard output, a page at a time. */
export const run = Effect.fnUntraced(function* (input: ExportInput) {
  const { database, file, what } = input
  const format = yield* chooseFormat(input)
  if (file !== standardStream && existsSync(file)) {
    return yield* new UsageError({ message: `${JSON.stringify(file)} exists already; name a new file` })
  }
  const progress = new Progress(process.stderr, { now: () => performance.now(), style: yield* style })
  const { columns, page } = kinds[what]
  const lineIn = lineOf[format]

  const exporting = Effect.gen(function* () {
    const store = yield* Storage
    const output = yield* openOutput(file)
    const counts = process.stderr.isTTY ? yield* store.restore?.counts ?? Effect.undefined : undefined
    const expected = counts?.[what]
    if (format === "csv") yield* writing(file, () => output.write(`${columns.join(",")}\n`))
    let count = 0
    const pages = Effect.gen(function* () {
      for (let after = 0; ; ) {
        const exported = yield* page(store, after)
        if (exported === undefined) return
        yield* writing(file, () => output.write(exported.rows.map((row) => lineIn(columns, row)).join("")))
        count += exported.rows.length
        after = exported.last
        if (expected !== undefined)
          progress.show(`${count} ${what} exported`, Math.min(1, count / Math.max(1, expected)))
      }
    })
    yield* (store.detachedSnapshot ?? store.snapshot)(pages)
    yield* writing(file, output.finish)
    return count
  })
  const count = yield* Effect.scoped(exporting).pipe(
    Effect.provide(openExisting(database)),
    Effect.ensuring(Effect.sync(() => progress.clear()))
  )
  const summary = `${count} ${what} exported`
  yield* file === standardStream ? Console.error(summary) : Console.log(`${file}: ${summary}`)
})
