import { type Event, InternalError } from "@petstore/core/domain"
import { Petstore, type RunningConsumer } from "@petstore/core/effect"
import type { WebhookSender } from "@petstore/core/ports"
import { LeaseHolders, MessageDelivery, type MessageHandler } from "@petstore/core/runtime"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Metric from "effect/Metric"
import * as Scope from "effect/Scope"
import { seededHasher } from "../../packages/core/testing/src/seededHasher.ts"
import type { Scene } from "./FaultPlan.ts"
import type { SimulatedDatabase } from "./SimulatedDatabase.ts"
import type { Process } from "./Timeline.ts"

/** What the shop has outside of its processes. */
export interface Surroundings {
  readonly sender: WebhookSender["Service"]
  readonly onEvent: (process: Process, event: Event) => Effect.Effect<void, Error>
  readonly onMessage: MessageHandler<Error>
}

/** The consumer of every process. */
export const consumerName = "ledger"

/** A process with a petstore, from its start until it ends or is killed. */
interface Running extends Process {
  readonly place: number
  petstore: Petstore["Service"] | undefined
  /** How many requests have been sent to it and not ended. */
  requests: number
  context: Context.Context<never>
  readonly scope: Scope.Closeable
  consumer: RunningConsumer | undefined
}

/** Milliseconds until a process that was killed starts again. */
const [shortestAbsence, longestAbsence] = [10, 5_000]

/** The processes of a shop, on one database. */
export class Shop {
  private readonly database: SimulatedDatabase
  private readonly scene: Scene
  private readonly surroundings: Surroundings
  private readonly places: Array<Running | undefined> = []
  private readonly self: Process = { name: "shop", isAlive: true, isPaused: false, clockOffset: 0 }
  /** How many events the consumer handles at the same time. */
  private readonly concurrency: number
  private starts = 0

  constructor(scene: Scene, database: SimulatedDatabase, surroundings: Surroundings) {
    this.scene = scene
    this.database = database
    this.surroundings = surroundings
    this.concurrency = scene.faults.dice.pick([1, 4]) ?? 1
  }

  /** Starts a process in a place, where another one may have been. */
  start(place: number): void {
    const name = `process ${place + 1}.${++this.starts}`
    const process: Running = {
      place,
      name,
      isAlive: true,
      isPaused: false,
      clockOffset: 0,
      petstore: undefined,
      requests: 0,
      context: Context.empty(),
      scope: Effect.runSync(Scope.make()),
      consumer: undefined
    }
    this.places[place] = process
    const logger = Logger.make<unknown, void>(({ cause, message }) => this.logged(name, message, cause))
    const holders: LeaseHolders = { self: `${name}-`, hasEnded: (holder) => this.hasEnded(holder) }
    process.context = this.scene.timeline.contextOf(process).pipe(
      Context.add(LeaseHolders, holders),
      Context.add(Logger.CurrentLoggers, new Set([logger])),
      // A process that is killed would leave its metrics in the registry of this program.
      Context.add(Metric.MetricRegistry, new Map())
    )
    this.scene.log(`${name} starts`)
    this.scene.timeline.soon(process, () => {
      this.scene.timeline.loading.add(process)
      Effect.runForkWith(process.context)(this.opened(process)).addObserver((exit) => {
        this.scene.timeline.loading.delete(process)
        if (Exit.isSuccess(exit)) this.scene.log(`${name} is open`)
        else this.kill(process)
      })
    })
  }

  /** Kills a process as by SIGKILL: nothing of it runs any more. It starts again later. */
  readonly kill = (killed: Process): void => {
    const process = this.places.find((one) => one === killed)
    if (process === undefined || !process.isAlive) return
    this.scene.log(`${process.name} is killed`)
    process.isAlive = false
    this.scene.timeline.loading.delete(process)
    this.database.disconnect(process)
    const absence = this.scene.faults.dice.between(shortestAbsence, longestAbsence)
    this.scene.timeline.after(this.self, absence, () => this.start(process.place))
  }

  /** Lets a process stand still, and go on later. */
  readonly pause = (process: Process): void => {
    const millis = this.scene.faults.dice.between(1_000, 90_000)
    process.isPaused = true
    this.scene.timeline.after(this.self, millis, () => this.scene.timeline.resume(process))
    this.scene.log(`${process.name} stands still for ${millis} ms`)
  }

  /** Lets processes stand still, or their clocks go wrong, as the plan says. */
  disturb(): void {
    const { dice } = this.scene.faults
    for (const process of this.places) {
      if (process === undefined || !process.isAlive) continue
      if (this.scene.faults.happens("pauses")) this.pause(process)
      if (this.scene.faults.happens("clocks")) {
        process.clockOffset = dice.between(-40_000, 40_000)
        this.scene.log(`The clock of ${process.name} is off by ${process.clockOffset} ms`)
      }
    }
  }

  /** Sets every clock right, and wakes every process. */
  repair(): void {
    for (const process of this.places) {
      if (process === undefined) continue
      process.clockOffset = 0
      this.scene.timeline.resume(process)
    }
  }

  /** Runs something in a process that is open, if it still is when the request arrives. */
  request<A, E>(
    use: (petstore: Petstore["Service"]) => Effect.Effect<A, E>,
    latency: () => number,
    onEnd: (exit: Exit.Exit<A, E>) => void
  ): void {
    const process = this.scene.faults.dice.pick(
      this.places.filter((one) => one?.isAlive === true && one.petstore !== undefined)
    )
    if (process?.petstore === undefined) return
    const { context, petstore } = process
    process.requests++
    this.scene.timeline.after(process, latency(), () => {
      Effect.runForkWith(context)(use(petstore)).addObserver((exit) => {
        process.requests--
        this.scene.timeline.after(this.self, latency(), () => onEnd(exit))
      })
    })
  }

  /** Whether every process is open, and works on no request. */
  get isIdle(): boolean {
    return this.places.every((one) => one?.isAlive === true && one.petstore !== undefined && one.requests === 0)
  }

  /** Closes every process. */
  close(onEnd: () => void): void {
    let open = 0
    for (const process of this.places) {
      if (process === undefined) continue
      open++
      this.scene.timeline.soon(process, () => {
        Effect.runForkWith(process.context)(Scope.close(process.scope, Exit.void)).addObserver(() => {
          if (--open === 0) onEnd()
        })
      })
    }
  }

  /** The log of a process. Whatever goes wrong, nothing inside of the petstore is broken. */
  private logged(name: string, message: unknown, cause: Cause.Cause<unknown>): void {
    const parts = [message].flat()
    this.scene.log(`${name} logs: ${parts.filter((part) => typeof part === "string").join(" ")}`)
    const errors = [...parts, ...cause.reasons.flatMap((reason) => (Cause.isFailReason(reason) ? [reason.error] : []))]
    if (Cause.hasDies(cause) || errors.some((error) => error instanceof InternalError)) {
      this.scene.problem(`${name} logs ${parts.join(" ")} ${Cause.pretty(cause)}`)
    }
  }

  private hasEnded(holder: string): boolean {
    return !this.places.some((one) => one?.isAlive === true && holder.startsWith(`${one.name}-`))
  }

  private opened(process: Running): Effect.Effect<void, unknown> {
    const { onEvent, onMessage, sender } = this.surroundings
    const adapter = this.database.adapterOf(process, seededHasher(this.scene.faults.dice.seed()))
    const petstoreLayer = Petstore.layer(adapter, { webhooks: sender, retention: { events: { count: 20 } } })
    const { concurrency } = this
    const layer = Layer.provideMerge(MessageDelivery.layer(onMessage), petstoreLayer)
    return Effect.gen(function* () {
      const petstore = Context.get(yield* Layer.buildWithScope(layer, process.scope), Petstore)
      process.consumer = yield* Scope.provide(
        petstore.events.consume(consumerName, (event) => onEvent(process, event), { after: 0, concurrency }),
        process.scope
      )
      process.petstore = petstore
    })
  }
}
