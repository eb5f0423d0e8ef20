import { type ChildProcessByStdio, spawn } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import process from "node:process"
import { createInterface, type Interface } from "node:readline"
import type { Readable, Writable } from "node:stream"
import { controlLength, FailingCalls } from "./FailingCalls.ts"
import type { Fault, ScenarioSummary } from "./Scenario.ts"

/** Milliseconds after which a run hangs. Most take 50. */
const patience = 60_000

/** What a run has written. */
export interface ScenarioRun {
  /** The folder with the files that it leaves. */
  readonly folder: string
  /** The call or statement that failed; undefined if there was none of this number. */
  readonly failed: string | undefined
  readonly lines: ReadonlyArray<string>
  /** Undefined if it did not end. */
  readonly summary: ScenarioSummary | undefined
  /** Why it did not end: the process ended, or hung. */
  readonly end: string | undefined
}

type Child = ChildProcessByStdio<Writable, Readable, Readable>

/** Runs scenarios one after the other in a process of its own, and in a new one after one that has ended it. */
export class ScenarioProcess {
  private readonly command: readonly [string, ...Array<string>]
  private readonly folder: string
  private readonly environment: NodeJS.ProcessEnv
  private child: Child | undefined
  private lines: AsyncIterator<string> | undefined
  private ended: Promise<unknown> | undefined
  private errors = ""
  private readonly calls: FailingCalls
  private runs = 0

  /** `command` starts the program meet-faults; the folders of runs are in a new one in `parent`. */
  constructor(command: readonly [string, ...Array<string>], library: string, parent: string) {
    this.command = command
    this.folder = mkdtempSync(join(parent, "faults-"))
    const control = join(this.folder, "control")
    writeFileSync(control, "")
    truncateSync(control, controlLength)
    this.calls = new FailingCalls(control)
    this.environment = {
      ...process.env,
      LD_PRELOAD: library,
      FAILING_CALLS_CONTROL: control,
      FAILING_CALLS_FOLDER: join(this.folder, "runs")
    }
  }

  /** Runs a scenario. Remove its folder after use. */
  async run(fault?: Fault): Promise<ScenarioRun> {
    const child = this.child ?? this.start()
    this.child = child
    const folder = join(this.folder, "runs", `${++this.runs}`)
    mkdirSync(folder, { recursive: true })
    const lines: Array<string> = []
    const hung = setTimeout(() => child.kill("SIGKILL"), patience)
    const start = performance.now()
    child.stdin.write(`${JSON.stringify({ folder, fault })}\n`)
    let last = await this.next()
    for (; last !== undefined && !last.startsWith("ended "); last = await this.next()) lines.push(last)
    clearTimeout(hung)
    const failed =
      fault?.of === "call"
        ? this.calls.list[fault.at - 1]?.name
        : lines.find((line) => line.startsWith("failing "))?.replace("failing ", "")
    if (last !== undefined) return { folder, failed, lines, summary: JSON.parse(last.slice(6)), end: undefined }
    this.child = undefined
    const code = await this.ended
    const isHung = performance.now() - start >= patience
    return {
      folder,
      failed,
      lines,
      summary: undefined,
      end: isHung ? "hung" : `ended with ${code}: ${this.errors.slice(-2000)}`
    }
  }

  /** Ends the process and removes all folders. */
  async close(): Promise<void> {
    this.child?.kill("SIGKILL")
    await this.ended
    this.calls.close()
    rmSync(this.folder, { recursive: true, force: true })
  }

  private async next(): Promise<string | undefined> {
    const next = await this.lines?.next()
    return next?.done === true ? undefined : next?.value
  }

  private start(): Child {
    const [program, ...args] = this.command
    const child = spawn(program, args, { env: this.environment, stdio: ["pipe", "pipe", "pipe"] })
    this.ended = once(child, "close").then(([code, signal]: Array<unknown>) => signal ?? code)
    this.errors = ""
    child.stderr.on("data", (data) => (this.errors += data))
    child.stdin.on("error", () => {})
    const lines: Interface = createInterface(child.stdout)
    this.lines = lines[Symbol.asyncIterator]()
    return child
  }
}
