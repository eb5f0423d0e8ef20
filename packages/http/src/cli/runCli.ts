import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Environment, refuseUnknownVariables } from "./environment.ts"
import { exitStatusOf } from "./exitStatus.ts"
import type { StopSignal } from "./stopSignal.ts"
import { consoleLink, keys } from "./syntax/access.ts"
import { call } from "./syntax/call.ts"
import { events } from "./syntax/events.ts"
import { exportFile } from "./syntax/exportFile.ts"
import { importFile } from "./syntax/importFile.ts"
import { prove } from "./syntax/prove.ts"
import { openapi, serve } from "./syntax/serve.ts"
import { backup, copy, doctor, migrate, restore, verify } from "./syntax/stores.ts"
import { webhooks } from "./syntax/webhooks.ts"
import { logger } from "./terminal/logger.ts"
import { presenter, printError } from "./terminal/presenter.ts"

/** The CLI with all its subcommands. */
const petstore = Command.make("petstore").pipe(
  Command.withDescription("Pet store: REST server and tools"),
  Command.withSubcommands([
    serve,
    call,
    keys,
    consoleLink,
    events,
    webhooks,
    importFile,
    exportFile,
    verify,
    backup,
    restore,
    copy,
    migrate,
    doctor,
    prove,
    openapi
  ])
)

const { version }: { readonly version: string } = JSON.parse(
  readFileSync(new URL("../../package.json", import.meta.url), "utf8")
)

const cli = Layer.mergeAll(
  CliConfig.layer({ builtIns: [GlobalFlag.Help, GlobalFlag.Version] }),
  CliOutput.layerPresenter(presenter),
  logger,
  Layer.provideMerge(TerminalCapabilities.layer, NodeServices.layer)
)

/**
 * Runs the CLI and returns its exit code: 0 for success, 1 if the subcommand failed, 2 if the call was wrong, and 128 plus the
 * number of a signal that stopped it.
 */
export const runCli = (
  args: ReadonlyArray<string>,
  environment: Environment = process.env
): Effect.Effect<number, never, StopSignal> =>
  Effect.gen(function* () {
    const checked = Command.provideEffectDiscard(petstore, refuseUnknownVariables(environment))
    const exit = yield* Effect.exit(Command.runWith(checked, { version })(args))
    const { code, message } = exitStatusOf(exit)
    if (message !== undefined) yield* printError(message)
    return code
  }).pipe(Effect.provide(cli))
