import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import type { Duplex } from "node:stream"
import { text } from "node:stream/consumers"
import { quantile } from "../report/statistics.ts"

const event = "instructions"
const stat = ["stat", "--field-separator", ",", "--event", event]

const countIn = (output: string): number | undefined => {
  const count = Number.parseInt(output.split("\n").find((line) => line.includes(`,${event}`)) ?? "", 10)
  return Number.isNaN(count) ? undefined : count
}

const findProblem = (): string | undefined => {
  const { error, stderr } = spawnSync("perf", [...stat, "true"], { encoding: "utf8" })
  if (error !== undefined) return `perf cannot be run (${error.message})`
  if (countIn(stderr) !== undefined) return undefined
  return `perf stat reports ${JSON.stringify(stderr.trim().split(",")[0])}; most virtual machines have no counters`
}

/** Why instructions cannot be counted here; undefined if they can. */
export const instructionsProblem = findProblem()

/** Runs a task, and counts the instructions of a process and of the system for it meanwhile; undefined if they cannot be counted. */
export const withInstructions = async <A>(pid: number | undefined, task: () => Promise<A>) => {
  if (instructionsProblem !== undefined) return { result: await task(), instructions: undefined }
  const args = [...stat, "--pid", String(pid), "--delay", "-1", "--control", "fd:3,4"]
  const counter = spawn("perf", args, { stdio: ["ignore", "ignore", "pipe", "pipe", "pipe"] })
  // Node.js makes a socket of each pipe.
  const [output, control, acknowledgements] = counter.stdio.slice(2) as [Duplex, Duplex, Duplex]
  const command = async (name: "enable" | "disable"): Promise<void> => {
    const acknowledged = once(acknowledgements, "data")
    control.write(`${name}\n`)
    await acknowledged
  }
  const counted = text(output)
  try {
    await command("enable")
    const result = await task()
    await command("disable")
    counter.kill("SIGINT")
    return { result, instructions: countIn(await counted) }
  } finally {
    counter.kill("SIGKILL")
  }
}

interface Counted {
  readonly instructions: number | undefined
}

/** The medians of both sides, as a part of a row; empty if they were not counted. */
export const instructionPair = (ours: ReadonlyArray<Counted>, peer: ReadonlyArray<Counted>) => {
  const medianOf = (rounds: ReadonlyArray<Counted>): number =>
    quantile(
      rounds.flatMap(({ instructions = [] }) => instructions),
      0.5
    )
  return instructionsProblem === undefined ? { instructions: [medianOf(ours), medianOf(peer)] as const } : {}
}
