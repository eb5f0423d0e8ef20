import { readFileSync } from "node:fs"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { closest } from "@petstore/core/domain"
import * as CliConfig from "effect/cli/CliConfig"
import * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Command from "effect/cli/Command"
import * as GlobalFlag from "effect/cli/GlobalFlag"
import * as TerminalCapabilities from "effect/cli/TerminalCapabilities"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { exitStatusOf } from "./exitStatus.ts"
import * as settings from "./settings.ts"
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

/** Environment variables by name. */
type Environment = Readonly<Record<string, string | undefined>>

const knownVariables = new Set(Object.values(settings).flatMap((setting) => ("env" in setting ? [setting.env] : [])))

/** Variables that others set: Kubernetes in each container beside a service called petstore, and the tests of this project. */
const isOfOthers = (name: string, value: string): boolean =>
  /_SERVICE_(?:HOST|PORT(?:_.*)?)$|_PORT_\d+_[A-Z]+(?:_.*)?$|^PETSTORE_TEST_/.test(name) ||
  (name.endsWith("_PORT") && /^[a-z]+:\/\//.test(value))

const withoutPrefix = (name: string): string => name.replace(/^PETSTORE_/, "")

/** The name, with the one that was probably meant. It never shows a value, which may be a secret. */
const shownVariable = (name: string): string => {
  const candidates = new Map([...knownVariables].map((variable) => [withoutPrefix(variable), variable]))
  const meant = closest(withoutPrefix(name), candidates.keys())
  return meant === undefined ? name : `${name} (did you mean ${candidates.get(meant)}?)`
}

/**
 * Fails if a variable begins with `PETSTORE_` that no setting has, since a typing error would leave the setting at its default. Empty
 * ones count as unset.
 */
const refuseUnknownVariables = (environment: Environment): Effect.Effect<void, CliError.ValidationError> => {
  const unknown = Object.entries(environment).flatMap(([name, value]) =>
    name.startsWith("PETSTORE_") && value && !knownVariables.has(name) && !isOfOthers(name, value)
      ? [shownVariable(name)]
      : []
  )
  if (unknown.length === 0) return Effect.void
  return Effect.fail(
    new CliError.ValidationError({
      message: `Unknown environment variable: ${unknown.join(", ")}. Nothing was started. Correct the name, or unset the variable`
    })
  )
}

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
