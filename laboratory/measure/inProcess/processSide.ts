import { type ChildProcess, fork } from "node:child_process"
import { mkdtempSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Running, Sample, Side } from "../Comparison.ts"
import { nextMessage, onCore, serverCore } from "../machine/processes.ts"

const program = fileURLToPath(new URL("program.ts", import.meta.url))

export interface RunningProcess extends Running {
  readonly name: string
  /** What the contender has written so far. */
  readonly written: () => Promise<unknown>
}

interface Options {
  /** Milliseconds of a sync; 0.1 if undefined. */
  readonly sync?: number
  /** Whether it uses a new database on PostgreSQL. */
  readonly isOnPostgres?: boolean
  /** Processes that work at once, in one folder and on all cores. */
  readonly processes?: number
  readonly folder?: (shared: string) => string
}

const add = (one: number | undefined, other: number | undefined): number => (one ?? 0) + (other ?? 0)

/** Adds up what processes did at the same time. */
const together = (samples: ReadonlyArray<Sample>): Sample =>
  samples.reduce((sum, sample) => {
    const rate = add(sum.rate, sample.rate)
    const cpu = (add(sum.rate, 0) * add(sum.cpu, 0) + add(sample.rate, 0) * add(sample.cpu, 0)) / rate
    return { rate, cpu, memory: add(sum.memory, sample.memory) }
  }, {})

/** A contender of a module in a process of its own. `name`: how rows call it. */
export const processSide =
  (module: URL) =>
  (
    name: string,
    contender: string,
    { isOnPostgres = false, processes = 1, sync = 0.1, ...more }: Options = {}
  ): Side<RunningProcess> => ({
    name,
    open: async (context) => {
      const folder = more.folder?.(context.shared) ?? mkdtempSync(join(context.folder, "contender-"))
      const url = isOnPostgres ? await context.database() : ""
      const children: Array<ChildProcess> = []
      let said = ""
      const next = (child: ChildProcess): Promise<unknown> =>
        nextMessage(child, contender).catch((error: Error) => {
          throw new Error(`${error.message}: ${said.slice(-500)}`)
        })
      // One after the other: the first fills the store.
      for (let started = 0; started < processes; started++) {
        const child = fork(program, [module.href, contender, folder, url], {
          ...(processes === 1 ? onCore(serverCore) : { execArgv: [] }),
          stdio: ["ignore", "ignore", "pipe", "ipc"],
          env: { ...process.env, NODE_OPTIONS: "", ...(isOnPostgres ? {} : context.syncDelay.environment(sync)) }
        })
        child.stderr?.on("data", (text) => (said += text))
        children.push(child)
        await next(child)
      }
      const ask = async <A>(message: number | string): Promise<ReadonlyArray<A>> => {
        const results = children.map(next)
        for (const child of children) child.send(message)
        return (await Promise.all(results)) as ReadonlyArray<A>
      }
      return {
        name,
        turn: async (seconds) => together(await ask<Sample>(seconds)),
        written: async () => (await ask<unknown>("written"))[0],
        close: async () => {
          for (const child of children) child.kill("SIGKILL")
        }
      }
    }
  })
