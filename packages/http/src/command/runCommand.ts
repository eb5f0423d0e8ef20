import { readFileSync } from "node:fs"
import { NodeServices } from "@effect/platform-node"
import { Console, Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { outcomeOf } from "./outcome.ts"
import { petstore } from "./petstoreCommand.ts"
import { presenter } from "./presenter.ts"
import type { StopSignal } from "./stopSignal.ts"

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

const cli = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter(presenter),
  NodeServices.layer
)

/**
 * Runs the command `petstore` and answers its exit code: 0 for success, 1 where what was asked for failed, 2 where it
 * was not asked for in the right way, 128 and the number of a signal that stopped it.
 */
export const runCommand = (args: ReadonlyArray<string>): Effect.Effect<number, never, StopSignal> =>
  Effect.gen(function* () {
    const exit = yield* Effect.exit(Effect.provide(Command.runWith(petstore, { version })(args), cli))
    const { code, message } = outcomeOf(exit)
    if (message !== undefined) yield* Console.error(`petstore: ${message}`)
    return code
  })
