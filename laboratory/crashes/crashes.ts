import { spawn } from "node:child_process"
import { once } from "node:events"
import { cpSync, mkdirSync, mkdtempSync, rmSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { createInterface } from "node:readline"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { openSqlite } from "../../packages/adapters/test/support/openSqlite.ts"
import { randomOf } from "../../packages/adapters/test/support/random.ts"
import { petNames } from "../../packages/adapters/test/support/rows.ts"
import { Disk } from "./Disk.ts"
import { readRecording } from "./Recording.ts"

type Command = readonly [string, ...Array<string>]

export interface CrashOptions {
  /** Runs the program write-pets. */
  readonly commandOf: (...args: ReadonlyArray<string>) => Command
  /** The path of the compiled library recordedWrites.c, without which the machine cannot lose power. */
  readonly library?: string
  /** Where folders are made. */
  readonly parent: string
  readonly seed: number
  /** How often the process that writes to the file is killed. */
  readonly kills: number
  /** How often the machine loses power, at any moment of all of that. */
  readonly losses: number
}

/** A process is killed up to so many milliseconds after one of so many lines, the first of which it writes before it opens the file. */
const mostAfterLine = 20
const mostLines = 20

/** So many pets are added between two checkpoints: some processes end before one, others make several. */
const petsPerCheckpoint = 25

/** How the calls of a process are made: one at a time, or in shared commits. */
const concurrencies = [1, 4, 64]

/** Kills a process so many milliseconds after one of its lines. Returns the lines that it has written, and the signal that ended it. */
const killAfter = async (
  [program, ...args]: Command,
  environment: NodeJS.ProcessEnv,
  line: number,
  milliseconds: number
): Promise<{ readonly lines: ReadonlyArray<string>; readonly signal: NodeJS.Signals | null }> => {
  const child = spawn(program, args, { env: { ...process.env, ...environment }, stdio: ["ignore", "pipe", "inherit"] })
  const ended = once(child, "exit")
  const lines: Array<string> = []
  for await (const text of createInterface(child.stdout)) {
    if (lines.push(text) === line) setTimeout(() => child.kill("SIGKILL"), milliseconds)
  }
  const [, signal] = await ended
  return { lines, signal }
}

/** What is wrong with the files in a folder, of which processes have written so many lines. */
const problemsOf = (folder: string, lines: ReadonlyArray<string>): Promise<ReadonlyArray<string>> =>
  Effect.gen(function* () {
    const acknowledged = lines.filter((line) => /^\d/.test(line))
    const processes = lines.filter((line) => line === "started").length
    // What was under way may be there too: one group for each process.
    const most = acknowledged.length + processes * Math.max(...concurrencies)
    const store = yield* openSqlite(join(folder, "petstore.db"))
    const present = new Set(yield* petNames(store))
    const broken = yield* store.inspect
    yield* store.ready
    const lost = acknowledged.filter((name) => !present.has(name))
    return [
      ...(lost.length > 0 ? [`${lost.length} of ${acknowledged.length} are lost, ${lost[0]} among them`] : []),
      ...(present.size > most ? [`${present.size} pets, of which ${acknowledged.length} were acknowledged`] : []),
      ...broken.map((problem) => `broken: ${JSON.stringify(problem)}`)
    ]
  }).pipe(
    Effect.scoped,
    Effect.catchCause((cause) => Effect.succeed([`cannot be used: ${Cause.pretty(cause)}`])),
    Effect.provide(Logger.layer([])),
    Effect.runPromise
  )

/** Kills processes that write to a new file one after the other, then loses the power of their machine. Returns what is wrong. */
export const crash = async (options: CrashOptions): Promise<ReadonlyArray<string>> => {
  const { commandOf, kills, library, losses, parent, seed } = options
  const random = randomOf(seed)
  const root = mkdtempSync(join(parent, "crashes-"))
  const folder = join(root, "files")
  const copy = join(root, "copy")
  const recordings: Array<string> = []
  const problems: Array<string> = []
  const lines: Array<string> = []
  const report = (name: string, problem: string) => problems.push(`seed ${seed}, ${name}: ${problem}`)
  // To open the files changes them.
  const checkCopy = async (name: string, written: ReadonlyArray<string>): Promise<void> => {
    for (const problem of await problemsOf(copy, written)) report(name, problem)
    rmSync(copy, { recursive: true })
  }
  try {
    mkdirSync(folder)
    for (let kill = 1; kill <= kills; kill++) {
      const concurrency = concurrencies[Math.floor(random() * concurrencies.length)] ?? 1
      const command = commandOf(join(folder, "petstore.db"), `${concurrency}`, "Infinity", `${petsPerCheckpoint}`)
      const recording = join(root, `recording-${kill}`)
      if (library !== undefined) recordings.push(recording)
      const recorded = { LD_PRELOAD: library, RECORDED_FOLDER: folder, RECORDED_WRITES: recording }
      const environment = library === undefined ? {} : recorded
      const line = 1 + Math.floor(random() * mostLines)
      const killed = await killAfter(command, environment, line, random() * mostAfterLine)
      lines.push(...killed.lines)
      if (killed.signal !== "SIGKILL") report(`kill ${kill}`, `the process has ended: ${killed.lines.at(-1)}`)
      cpSync(folder, copy, { recursive: true })
      await checkCopy(`kill ${kill}`, lines)
    }
    const operations = recordings.flatMap(readRecording)
    const moments = Array.from({ length: losses }, () => Math.floor(random() * operations.length))
    const disk = new Disk(join(root, "disk"))
    let done = 0
    for (const moment of moments.toSorted((a, b) => a - b)) {
      for (const operation of operations.slice(done, moment)) disk.run(operation)
      done = moment
      disk.losePower(random, copy)
      await checkCopy(`power loss at ${moment} of ${operations.length}`, disk.said.split("\n").slice(0, -1))
    }
    return problems
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
