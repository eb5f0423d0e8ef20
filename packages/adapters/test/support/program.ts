import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

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

/** The command that runs a program from its TypeScript source. */
export const commandOf = (name: string, ...args: ReadonlyArray<string>): readonly [string, ...Array<string>] => [
  process.execPath,
  "--conditions=@petstore/source",
  "--disable-warning=ExperimentalWarning",
  fileURLToPath(new URL(`../programs/${name}.ts`, import.meta.url)),
  ...args
]

/** Starts a command; it is killed with the scope. */
export const startCommand = ([command, ...args]: readonly [string, ...Array<string>]): Effect.Effect<
  Program,
  never,
  Scope.Scope
> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] })),
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
export const startProgram = (name: string, ...args: ReadonlyArray<string>) => startCommand(commandOf(name, ...args))
