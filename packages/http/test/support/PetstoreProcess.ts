import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { bundledProgram, compileCache } from "../../../adapters/test/support/bundledProgram.ts"

/** A process that runs the command from a bundle of its sources. */
export interface PetstoreProcess {
  readonly child: ChildProcess
  /** What it has written so far. */
  readonly stdout: () => string
  readonly stderr: () => string
  /** Completes when what it has written to standard error matches. */
  readonly said: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Completes when what it has written to standard output matches; the two arrive in no order. */
  readonly printed: (pattern: RegExp) => Effect.Effect<RegExpExecArray>
  /** Completes when it has ended, with its exit code; null if a signal ended it. */
  readonly ended: Effect.Effect<number | null>
}

const program = fileURLToPath(new URL("../../src/cli/main.ts", import.meta.url))

const bin = fileURLToPath(new URL("../../bin/petstore.js", import.meta.url))

/** The environment of the tests without what would set the command. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(PORT|HOST|PETSTORE_.*|npm_.*|NODE_OPTIONS|NODE_V8_COVERAGE)$/.test(name)
    )
  )

const watch = (child: ChildProcess): PetstoreProcess => {
  let out = ""
  let err = ""
  child.stdout?.setEncoding("utf8").on("data", (text) => {
    out += text
  })
  child.stderr?.setEncoding("utf8").on("data", (text) => {
    err += text
  })
  // Emitted when both streams have ended too.
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve))
  const matched =
    (stream: ChildProcess["stdout"], written: () => string) =>
    (pattern: RegExp): Effect.Effect<RegExpExecArray> =>
      Effect.callback((resume) => {
        const look = () => {
          const match = pattern.exec(written())
          if (match !== null) resume(Effect.succeed(match))
        }
        stream?.on("data", look)
        child.once("close", () => resume(Effect.die(new Error(`It ended before it wrote ${pattern}: ${written()}`))))
        look()
      })
  return {
    child,
    stdout: () => out,
    stderr: () => err,
    said: matched(child.stderr, () => err),
    printed: matched(child.stdout, () => out),
    ended: Effect.promise(() => ended)
  }
}

export interface StartOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whether a shell stands in between, as npm has it, that waits for the command and passes no signal on. */
  readonly shell?: boolean
  /** Whether it is the built command that users install, instead of its sources. */
  readonly built?: boolean
}

const spawnPetstore = async (
  args: ReadonlyArray<string>,
  { built = false, cwd, env, shell = false }: StartOptions
): Promise<ChildProcess> => {
  const command = [process.execPath, built ? bin : await bundledProgram(program), ...args]
  const [file = "", ...rest] = shell ? ["/bin/sh", "-c", '"$0" "$@"; exit', ...command] : command
  return spawn(file, rest, {
    ...(cwd === undefined ? {} : { cwd }),
    env: { ...cleanEnvironment(), ...(built ? {} : await compileCache()), ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
}

/** Starts the command in a process of its own, which does not outlive the scope. */
export const startPetstore = (
  args: ReadonlyArray<string>,
  options: StartOptions = {}
): Effect.Effect<PetstoreProcess, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => watch(await spawnPetstore(args, options))),
    ({ child }) => Effect.sync(() => child.kill("SIGKILL"))
  )

/** A running `petstore serve`. */
export interface RunningServer extends PetstoreProcess {
  /** With the base path. */
  readonly url: string
}

/** Starts `petstore serve`, on a free port unless the arguments name one, and waits until it listens. */
export const startServer = (
  args: ReadonlyArray<string>,
  options?: StartOptions
): Effect.Effect<RunningServer, never, Scope.Scope> =>
  Effect.gen(function* () {
    const server = yield* startPetstore(
      ["serve", ...(args.includes("--port") ? [] : ["--port", "0"]), ...args],
      options
    )
    const [, url = ""] = yield* server.said(/petstore is listening on (http:[^\s"]+)/)
    return { ...server, url }
  })
