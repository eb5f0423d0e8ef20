import { type ChildProcess, type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { bundledProgram, compileCache } from "./bundledProgram.ts"

/** A program of `test/programs` that runs in a process of its own. */
export interface Program {
  readonly process: ChildProcess
  /** The next line that it writes; undefined once there is none. */
  readonly line: Effect.Effect<string | undefined>
  /** All further lines, once it has ended. */
  readonly rest: Effect.Effect<ReadonlyArray<string>>
  readonly send: (line: string) => Effect.Effect<void>
  /** Its exit code, or the signal that ended it. */
  readonly exit: Effect.Effect<number | string>
}

const sourceOf = (name: string): string => fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url))

type Command = readonly [string, ...Array<string>]

/** The command that runs a program from its TypeScript source, which may outlive the run. */
export const sourceCommandOf = (name: string, ...args: ReadonlyArray<string>): Command => [
  process.execPath,
  "--conditions=@petstore/source",
  "--disable-warning=ExperimentalWarning",
  sourceOf(name),
  ...args
]

/** The command that runs a program. */
export const commandOf = (name: string, ...args: ReadonlyArray<string>): Effect.Effect<Command> =>
  Effect.promise(async () => [
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    await bundledProgram(sourceOf(name)),
    ...args
  ])

const spawnCommand = async ([command, ...args]: Command): Promise<ChildProcessByStdio<Writable, Readable, null>> =>
  spawn(command, args, { stdio: ["pipe", "pipe", "inherit"], env: { ...process.env, ...(await compileCache()) } })

/** Starts the command of a program; it is killed with the scope. */
export const startCommand = (command: Command): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => spawnCommand(command)),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
      const ended = once(child, "close").then(([code, signal]: Array<unknown>) => (signal ?? code) as number | string)
      return {
        process: child,
        line: Effect.promise(async () => (await lines.next()).value),
        rest: Effect.promise(async () => {
          const rest: Array<string> = []
          for (let next = await lines.next(); !next.done; next = await lines.next()) rest.push(next.value)
          return rest
        }),
        send: (line) => Effect.sync(() => void child.stdin.write(`${line}\n`)),
        exit: Effect.promise(() => ended)
      }
    }
  )

/** Starts a program; it is killed with the scope. */
export const startProgram = (name: string, ...args: ReadonlyArray<string>) =>
  Effect.flatMap(commandOf(name, ...args), startCommand)
