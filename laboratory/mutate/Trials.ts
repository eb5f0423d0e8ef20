import { type ChildProcess, fork } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { root } from "../../packages/test/support/workspace.ts"
import type { Asked, Known, Planned, Told } from "./worker.ts"

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Seconds of a processor without a sign of life after which a worker is killed: it is in a loop that never ends. */
const patience = 8
/** The seconds that a process has had of a processor, on Linux: a busy machine may leave it none for long. */
const secondsOf = (pid: number | undefined): number => {
  const file = `/proc/${pid}/stat`
  const [user = 0, system = 0] = existsSync(file) ? readFileSync(file, "utf8").split(" ").slice(13, 15).map(Number) : []
  return (user + system) / 100
}
/** Kills of workers after which a fault is tried no more. */
const mostKills = 2
/** Milliseconds below which a case is quick: all of them run. Of those that need more, faults of a new process run none. */
const quick = 20
/** Milliseconds below which a case runs unless two units have seen the fault; a slower one runs if nobody has. */
const medium = 100

/** How the wait for a worker ended: its last case is the one that it was in. */
interface Ended {
  readonly how: "done" | "died" | "dirty"
  readonly last: number
}

/** A process that tries faults. */
class Worker {
  /** Whether no fault has been tried in it. */
  isFresh = true
  readonly #process: ChildProcess
  #hear: (told: Told | "died") => void = () => {}
  #seconds = 0

  private constructor(fault: number) {
    this.#process = fork(here("worker.ts"), {
      cwd: root,
      execArgv: [...process.execArgv, "--max-old-space-size=1500", "--import", here("hook.ts")],
      env: { ...process.env, FAULT: String(fault) },
      stdio: ["ignore", "ignore", "ignore", "ipc"]
    })
    const watch = setInterval(() => {
      if (secondsOf(this.#process.pid) > this.#seconds + patience) this.end()
    }, 1_000)
    this.#process.on("message", (told: Told) => {
      this.#seconds = secondsOf(this.#process.pid)
      this.#hear(told)
    })
    this.#process.on("exit", () => {
      clearInterval(watch)
      this.#hear("died")
    })
  }

  /** A worker that has loaded everything; undefined if a fault does not let it. */
  static async open(fault = -1): Promise<Worker | undefined> {
    const worker = new Worker(fault)
    const first = await new Promise<Told | "died">((resolve) => {
      worker.#hear = (told) => told !== "alive" && resolve(told)
    })
    return first === "ready" ? worker : undefined
  }

  ask(asked: Asked, hear: (told: Exclude<Told, string>) => void): Promise<Ended> {
    const { promise, resolve } = Promise.withResolvers<Ended>()
    let last = -1
    this.#hear = (told) => {
      if (told === "done" || told === "died") return resolve({ how: told, last })
      if (typeof told === "string") return
      hear(told)
      if ("begins" in told) last = told.begins
      if ("fails" in told && !told.passesWithout) resolve({ how: "dirty", last })
    }
    this.#process.send(asked)
    return promise
  }

  end(): void {
    this.#process.kill("SIGKILL")
  }
}

/** Tries faults on the cases that reach their places. */
export class Trials {
  /** Cases that do not pass twice in one process, and are left out. */
  readonly unfit: ReadonlyArray<string>
  readonly #known: ReadonlyArray<Known>
  /** The numbers of the cases that reach a place, those that take the least time first. */
  readonly #reaching: ReadonlyMap<number, ReadonlyArray<number>>
  /** The places that run once in a process, while it loads or fills what it keeps. */
  readonly #once: ReadonlySet<number>
  /** The cases for these, where each may fail. */
  readonly #quickest: ReadonlyArray<number>
  readonly #idle: Array<Worker>

  private constructor(worker: Worker, known: ReadonlyArray<Known>, once: ReadonlyArray<number>) {
    this.#idle = [worker]
    this.#known = known
    this.#once = new Set(once)
    const fit = [...known.keys()].filter((index) => known[index]!.milliseconds >= 0)
    this.unfit = known.flatMap(({ milliseconds, name, unit }) => (milliseconds < 0 ? [`${unit}: ${name}`] : []))
    fit.sort((a, b) => known[a]!.milliseconds - known[b]!.milliseconds)
    this.#quickest = fit.filter((index) => known[index]!.milliseconds < quick)
    const reaching = new Map<number, Array<number>>()
    for (const index of fit) {
      for (const place of known[index]!.places) {
        const others = reaching.get(place)
        if (others === undefined) reaching.set(place, [index])
        else others.push(index)
      }
    }
    this.#reaching = reaching
  }

  static async open(): Promise<Trials> {
    const worker = await Worker.open()
    if (worker === undefined) throw new Error("A test cannot be loaded without vitest")
    let trials: Trials | undefined
    await worker.ask("cases", (told) => {
      if ("known" in told) trials = new Trials(worker, told.known, told.once)
    })
    if (trials === undefined) throw new Error("The cases do not end without a fault")
    return trials
  }

  /** The cases for a fault, with half a second and twenty times what each takes without it. */
  #planned(fault: number, most: number): ReadonlyArray<Planned> {
    const indices = this.#once.has(fault) ? this.#quickest : (this.#reaching.get(fault) ?? [])
    return indices.map((index) => {
      const { milliseconds } = this.#known[index]!
      const enough = Math.min(most, milliseconds < quick ? most : milliseconds < medium ? 2 : 1)
      return { index, enough, ticks: 50 + Math.ceil(2 * milliseconds) }
    })
  }

  /** Which units see a fault, so many of them at most. That one alone sees it, all show but the slowest cases. */
  async seenBy(fault: number, most: number): Promise<ReadonlyArray<string>> {
    const isOnce = this.#once.has(fault)
    const seeing = new Set<string>()
    const unitOf = (index: number): string => this.#known[index]?.unit ?? "loading"
    let planned = this.#planned(fault, most)
    let kills = 0
    while (planned.length > 0 && kills < mostKills) {
      const worker = isOnce ? await Worker.open(fault) : (this.#idle.pop() ?? (await Worker.open()))
      if (worker === undefined) return ["loading"]
      const { isFresh } = worker
      worker.isFresh = false
      const now: Array<number> = []
      const { how, last } = await worker.ask({ fault, planned }, (told) => {
        if ("fails" in told) now.push(told.fails)
      })
      if (how === "done" && !isOnce) this.#idle.push(worker)
      else worker.end()
      // What an earlier fault has left in the process may have failed these cases.
      if (how === "dirty" && !isFresh && !isOnce) continue
      if (how === "died") {
        kills++
        now.push(last)
      }
      for (const index of now) seeing.add(unitOf(index))
      // The rest is for a new worker.
      const done = how === "done" ? planned.length : planned.findIndex(({ index }) => index === last) + 1
      planned = planned
        .slice(done)
        .map((one) => ({ ...one, enough: one.enough - new Set(now.map(unitOf)).size }))
        .filter(({ enough, index }) => enough > 0 && !seeing.has(unitOf(index)))
    }
    return [...seeing, ...(kills === mostKills ? ["a watchdog"] : [])]
  }

  [Symbol.dispose](): void {
    for (const worker of this.#idle) worker.end()
  }
}
