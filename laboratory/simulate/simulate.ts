import { createPetstore } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import { portableHasher, verifyStore } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import { Clients } from "./Clients.ts"
import { CommitChecks } from "./CommitChecks.ts"
import { Dice } from "./Dice.ts"
import { allFaults, FaultPlan, type SimulatedFault } from "./FaultPlan.ts"
import { notLinearizable } from "./linearizability.ts"
import { Shop } from "./Shop.ts"
import { SimulatedDatabase } from "./SimulatedDatabase.ts"
import { Subscribers } from "./Subscribers.ts"
import { type Process, Timeline } from "./Timeline.ts"

/** What {@link simulate} runs. */
export interface SimulateOptions {
  /** Decides everything that is random. The same seed has the same trace. */
  readonly seed: number
  /** How many calls the clients make, all together; 80 by default. */
  readonly steps?: number
  /** What may go wrong; everything by default. */
  readonly faults?: ReadonlyArray<SimulatedFault>
}

/** What has happened in a simulation. */
export interface Simulation {
  readonly seed: number
  /** The first thing that went wrong and should not; absent if nothing did. */
  readonly problem?: string
  /** SHA-256 of the trace. */
  readonly hash: string
  /** What happened, a line each, with the seconds since the start. */
  readonly trace: ReadonlyArray<string>
  readonly commits: number
  /** Milliseconds of the time in the simulation. */
  readonly duration: number
}

const start = Date.UTC(2030, 0, 1)
const processes = 3
const clients = 4
const pets = 3
const minute = 60_000

/** Milliseconds in which everything must drain when nothing goes wrong any more: the longest delay after a failed attempt, and a lease. */
const longestDrain = 60 * minute

const sha256 = (text: string): string =>
  Array.from(portableHasher.sha256(text), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Loads what the engine loads when it first needs it: that takes real time. */
const loadAll = async (): Promise<void> => {
  await using petstore = await createPetstore({ retention: { events: { count: 1 } } })
  await petstore.verify()
}

let loaded: Promise<void> | undefined

/** A run of a shop, up to the first problem. */
class Run {
  readonly trace: Array<string> = []
  problem: string | undefined
  commits = 0
  private readonly steps: number
  private readonly timeline: Timeline
  private readonly faults: FaultPlan
  private readonly checks = new CommitChecks()
  private readonly database: SimulatedDatabase
  private readonly subscribers: Subscribers
  private readonly shop: Shop
  private readonly clients: Clients
  private readonly self: Process = { name: "simulation", isAlive: true, isPaused: false, clockOffset: 0 }

  constructor({ faults = allFaults, seed, steps = 80 }: SimulateOptions) {
    const dice = new Dice(seed)
    this.steps = steps
    this.timeline = new Timeline(dice, start)
    this.faults = new FaultPlan(new Dice(dice.seed()), faults)
    const { log, stopAt } = this
    this.database = new SimulatedDatabase(this.timeline, this.faults, {
      log,
      problem: stopAt,
      kill: (process) => this.shop.kill(process),
      pause: (process) => this.shop.pause(process),
      committed: (commit) => {
        this.commits++
        for (const problem of this.checks.check(commit)) stopAt(problem)
      }
    })
    const scene = { timeline: this.timeline, faults: this.faults, log, problem: stopAt }
    this.subscribers = new Subscribers(scene, this.checks)
    this.shop = new Shop(scene, this.database, this.subscribers)
    this.clients = new Clients(this.shop, scene)
  }

  get duration(): number {
    return this.timeline.now - start
  }

  async toEnd(): Promise<void> {
    for (let place = 0; place < processes; place++) this.shop.start(place)
    this.disturbing()
    const each = Math.ceil(this.steps / clients)
    await this.ended("set up the shop", (done) => this.clients.run(this.clients.setUp(pets), done))
    const all = Effect.all(
      Array.from({ length: clients }, () => this.clients.shopping(each)),
      { concurrency: clients, discard: true }
    )
    await this.ended("make their calls", (done) => this.clients.run(all, done))
    this.log("Nothing goes wrong from here")
    this.faults.end()
    this.shop.repair()
    await this.drained()
    await this.ended("read every stock", (done) => this.clients.run(this.clients.readAll, done))
    if (this.problem === undefined) this.checkHistory()
    await this.verified()
    await this.ended("close", (done) => this.shop.close(done), minute)
    // A process that closes does not wait long for what it gives back, and a call of that may be late.
    await this.timeline.runUntil(() => this.database.open.length === 0, this.timeline.now + minute)
    const { open } = this.database
    if (open.length > 0) this.stopAt(`In the end transactions are open: ${open.join("; ")}`)
  }

  /** Waits until something has ended, unless there is a problem. */
  private async ended(what: string, begin: (done: () => void) => void, within = 24 * 60 * minute): Promise<void> {
    if (this.problem !== undefined) return
    let isDone = false
    begin(() => {
      isDone = true
    })
    await this.timeline.runUntil(() => isDone || this.problem !== undefined, this.timeline.now + within)
    if (!isDone && this.problem === undefined) this.stopAt(`It takes too long to ${what}`)
  }

  private readonly log = (text: string): void => {
    this.trace.push(`${(this.duration / 1000).toFixed(3)} ${text}`)
  }

  private readonly stopAt = (problem: string): void => {
    this.log(`PROBLEM: ${problem}`)
    this.problem ??= problem
  }

  private disturbing(): void {
    this.shop.disturb()
    this.timeline.after(this.self, 100, () => this.disturbing())
  }

  /** When nothing goes wrong any more, everything that waits is done. */
  private async drained(): Promise<void> {
    if (this.problem !== undefined) return
    const waiting = () => this.waiting()
    await this.timeline.runUntil(
      () => this.problem !== undefined || waiting() === undefined,
      this.timeline.now + longestDrain
    )
    const left = waiting()
    if (left !== undefined && this.problem === undefined) this.stopAt(`In the end ${left}`)
  }

  /** What is still to be done, if anything is. */
  private waiting(): string | undefined {
    if (!this.shop.isIdle) return "not every process has opened and ended its requests"
    const { events } = this.checks
    if (this.subscribers.handled.size < events.length) {
      return `the consumer has handled ${this.subscribers.handled.size} of ${events.length} events`
    }
    const message = this.clients.messages.find((text) => !this.subscribers.messages.has(text))
    if (message !== undefined) return `the message ${JSON.stringify(message)} is not delivered`
    for (const created of events.filter(({ type }) => type === "webhook.created")) {
      const missing = this.subscribers.undelivered(created)
      if (missing !== undefined) return `${created.subject} has not delivered ${missing.type} ${missing.id}`
    }
    return undefined
  }

  /** What clients have seen is what one petstore without faults could have done. */
  private checkHistory(): void {
    const placed = new Map<string, Array<number>>()
    for (const { data, type } of this.checks.events) {
      const { id, shipDate } = Object(data)
      if (type === "order.placed") placed.set(shipDate, [...(placed.get(shipDate) ?? []), id])
    }
    for (const { hasKey, orderId, shipDate } of this.clients.placements) {
      const ids = placed.get(shipDate) ?? []
      if (ids.length > 1)
        this.stopAt(`One call has placed the orders ${ids.join(", ")}${hasKey ? " with one key" : ""}`)
      if (orderId !== undefined && ids[0] !== orderId)
        this.stopAt(`The order ${orderId} was acknowledged, and is not there`)
    }
    const { calls, model, pets, seen } = this.clients
    const owners = [...seen.values()].flatMap((subjects) => [
      ...new Set(subjects.map((subject) => this.checks.ownerOf(subject)))
    ])
    if (owners.includes(undefined) || new Set(owners).size < owners.length || owners.length > seen.size) {
      this.stopAt(`Users see the events of others: of ${owners.join(", ")}`)
    }
    for (const pet of pets) {
      const call = notLinearizable(
        calls.filter(({ petId }) => petId === pet),
        model
      )
      if (call !== undefined) {
        this.stopAt(
          `No order of the calls about pet ${pet} explains ${JSON.stringify(call.command)}: ${JSON.stringify(call.result)}`
        )
      }
    }
  }

  private async verified(): Promise<void> {
    if (this.problem !== undefined) return
    const { rows } = this.database
    const store = { ...rows, clockOffset: () => this.timeline.now - Date.now() }
    const checks = await Effect.runPromise(Effect.provideService(verifyStore(store, limits), Storage, store))
    for (const { examples, rule, violations } of checks) {
      if (violations > 0) this.stopAt(`${rule} Violated by ${violations} rows, such as ${JSON.stringify(examples[0])}`)
    }
  }
}

const limits = { ids: 8_192, facts: 50_000 }

/**
 * Simulates a shop: the engine in several processes on one database, with a consumer, webhooks, messages and clients, while calls fail, commits
 * get lost, processes are killed and clocks go wrong. What happens is drawn from the seed. Afterwards everything must drain, every rule of
 * `verify` must hold, and what clients have seen must be what one petstore without faults could have done. It does not run SQL.
 */
export const simulate = async (options: SimulateOptions): Promise<Simulation> => {
  loaded ??= loadAll()
  await loaded
  const run = new Run(options)
  await run.toEnd()
  const { commits, duration, problem, trace } = run
  const hash = sha256(trace.join("\n"))
  return { seed: options.seed, hash, trace, commits, duration, ...(problem === undefined ? {} : { problem }) }
}
