import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as TestConsole from "effect/testing/TestConsole"
import { runCli } from "../../src/cli/runCli.ts"
import { type Signal, StopSignal } from "../../src/cli/stopSignal.ts"

/** How a call of the command ended. */
export interface Ended {
  readonly code: number
  readonly stdout: ReadonlyArray<string>
  readonly stderr: ReadonlyArray<string>
}

const lines = (texts: ReadonlyArray<unknown>): ReadonlyArray<string> =>
  texts.flatMap((text) => String(text).split("\n"))

/** Runs the command in this process, with this environment; no signal comes unless one is given. */
export const runPetstore = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>> = {},
  stop: Effect.Effect<Signal> = Effect.never
): Effect.Effect<Ended> =>
  Effect.gen(function* () {
    const code = yield* runCli(args, environment)
    return { code, stdout: lines(yield* TestConsole.logLines), stderr: lines(yield* TestConsole.errorLines) }
  }).pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env: environment })),
    Effect.provideService(StopSignal, stop),
    // Every call has a console of its own.
    Effect.provide(TestConsole.layer, { local: true })
  )
