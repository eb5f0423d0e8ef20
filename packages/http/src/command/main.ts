import { readFileSync } from "node:fs"
import { NodeServices } from "@effect/platform-node"
import { Effect, Layer } from "effect"
import { CliConfig, CliOutput, Command, GlobalFlag } from "effect/cli"
import { outcomeOf } from "./outcome.ts"
import { petstore } from "./petstoreCommand.ts"
import { presenter } from "./presenter.ts"
import { StopSignal } from "./stopSignal.ts"

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8"))

const cli = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter(presenter),
  StopSignal.layer,
  NodeServices.layer
)

// Whoever reads the output may stop reading it, as head does; the server goes on without its log.
process.stderr.on("error", () => {})
process.stdout.on("error", () => process.exit(141))

const exit = await Effect.runPromiseExit(
  Effect.provide(Command.runWith(petstore, { version })(process.argv.slice(2)), cli)
)
const { code, message } = outcomeOf(exit)
if (message !== undefined) process.stderr.write(`petstore: ${message}\n`)
process.exitCode = code
