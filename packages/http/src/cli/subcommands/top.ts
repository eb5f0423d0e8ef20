import { Petstore } from "@petstore/core/effect"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import type { Database } from "../settings.ts"
import { StopSignal } from "../stopSignal.ts"
import { cut, outputWidth, type Style, style } from "../terminal/text.ts"
import { type Frame, frameOf, linesOf } from "../top/Frame.ts"
import { type Reading, readingOfMetrics, storeReading } from "../top/Reading.ts"
import { Screen } from "../top/Screen.ts"

interface TopInput {
  readonly database: Database
  /** Of the metrics of a server; undefined for the database. */
  readonly url: string | undefined
  readonly once: boolean
  readonly json: boolean
}

/** Milliseconds between two readings. */
const interval = 1_000

/** Milliseconds that a server has to send its metrics. */
const patience = 5_000

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Where numbers come from. */
interface Source {
  readonly name: string
  readonly read: Effect.Effect<Reading, SubcommandFailed>
}

const metricsOf = (url: string): Source => ({
  name: url,
  read: Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(url, { signal: AbortSignal.any([signal, AbortSignal.timeout(patience)]) })
      const reading = response.ok ? readingOfMetrics(await response.text(), Date.now()) : undefined
      if (reading !== undefined) return reading
      throw new SubcommandFailed({
        message: `${url} has no metrics of a petstore (status ${response.status}). Start the server with --metrics, and give their URL`
      })
    },
    catch: (error) =>
      error instanceof SubcommandFailed
        ? error
        : new SubcommandFailed({ message: `Cannot reach ${new URL(url).origin}` })
  })
})

const storeOf = (database: Database) =>
  Effect.map(Layer.build(openExisting(database)), (context): Source => {
    const { stats } = Context.get(context, Petstore)
    return {
      name: database.storage.kind === "sqlite" ? database.storage.file : database.storage.kind,
      read: Effect.map(
        Effect.mapError(stats, (error) => new SubcommandFailed({ message: messageOf(error) })),
        (found) => ({ at: Date.now(), store: storeReading(found), server: undefined })
      )
    }
  })

/** Reads once a second, and reports each frame, or why there is none. */
const follow = (
  { name, read }: Source,
  report: (frame: Result.Result<Frame, SubcommandFailed>) => Effect.Effect<void>
): Effect.Effect<never> => {
  let before: Reading | undefined
  const step = Effect.flatMap(Effect.result(read), (found): Effect.Effect<void> => {
    if (Result.isFailure(found)) return report(Result.fail(found.failure))
    const shown = before === undefined ? Effect.void : report(Result.succeed(frameOf(name, before, found.success)))
    before = found.success
    return shown
  })
  return Effect.forever(Effect.andThen(step, Effect.sleep(interval)))
}

/** One frame: rates take two readings. */
const oneFrame = ({ name, read }: Source): Effect.Effect<Frame, SubcommandFailed> =>
  Effect.gen(function* () {
    const before = yield* read
    yield* Effect.sleep(interval)
    return frameOf(name, before, yield* read)
  })

/** A full screen until q, Ctrl-C or a signal. */
const onScreen = (source: Source, apply: Style): Effect.Effect<void, never, Scope.Scope> =>
  Effect.gen(function* () {
    const quit = yield* Deferred.make<void>()
    const screen = yield* Effect.acquireRelease(
      Effect.sync(() => new Screen(process.stdout, process.stdin, () => Deferred.doneUnsafe(quit, Effect.void))),
      (opened) => Effect.sync(() => opened.close())
    )
    let shown: Frame | undefined
    screen.show((width) => [cut(source.name, width), "", "Reading..."])
    const show = (frame: Result.Result<Frame, SubcommandFailed>) =>
      Effect.sync(() => {
        if (Result.isSuccess(frame)) shown = frame.success
        const last = shown
        const problem = Result.isFailure(frame) ? (frame.failure.message ?? "") : undefined
        screen.show((width) => [
          ...(problem === undefined ? [] : [apply("red", cut(problem, width))]),
          ...(last === undefined ? [] : linesOf(last, apply, width)),
          "",
          apply("dim", "q quits")
        ])
      })
    yield* Effect.raceFirst(follow(source, show), Deferred.await(quit))
  })

/** Shows what a server or a database does, until q, Ctrl-C or a signal. */
export const run = ({ database, json, once, url }: TopInput) =>
  Effect.gen(function* () {
    const stop = yield* StopSignal
    if (!once && !json && (process.stdout.isTTY !== true || process.env.TERM === "dumb")) {
      return yield* new UsageError({ message: "petstore top needs a terminal; without one, use --once or --json" })
    }
    const source = url === undefined ? yield* storeOf(database) : metricsOf(url)
    const apply = yield* style
    const print = (frame: Frame) =>
      Console.log(json ? JSON.stringify(frame) : linesOf(frame, apply, outputWidth()).join("\n"))
    const shown = once
      ? Effect.flatMap(oneFrame(source), print)
      : // What cannot be read at all is an error; what cannot be read later may come back.
        Effect.andThen(
          source.read,
          json
            ? follow(source, (frame) =>
                Result.isSuccess(frame) ? print(frame.success) : Console.error(frame.failure.message)
              )
            : onScreen(source, apply)
        )
    yield* Effect.raceFirst(shown, Effect.asVoid(stop))
  }).pipe(Effect.scoped)
