import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Scope from "effect/Scope"
import type { CursorExpired } from "../../domain/errors/RequestErrors.ts"
import type { EventType } from "../../domain/events/Event.ts"
import { unclaimed } from "../../domain/Lease.ts"
import type { Hasher } from "../../ports/Hasher.ts"
import type { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Commands } from "../../programs/Commands.ts"
import { requireKept } from "../../programs/events/EventFollower.ts"
import type { Journal } from "../../programs/events/Journal.ts"
import { storeMillis } from "../../programs/time.ts"
import type { ConsumerRecord } from "../../tables/consumerTables.ts"
import { consumers as table } from "../../tables/index.ts"
import { startFiber } from "../background/calls.ts"
import { type Claimed, Worker } from "../background/Worker.ts"
import type { Events } from "../events/Events.ts"
import { type ConsumerClaim, ConsumerClaims } from "./ConsumerClaims.ts"
import { ConsumerLoop } from "./ConsumerLoop.ts"
import type { Consuming } from "./EventHandler.ts"
import type { LeaseHolders } from "./LeaseHolders.ts"
import { LoopWake, type ReplayWakes } from "./LoopWake.ts"

/** Milliseconds after which a process that waits looks whether the holder of a consumer has ended or closed it. */
const lookEveryMillis = 1_000

/** Which events a consumer handles, and how. */
export interface ConsumerDefinition extends Consuming {
  readonly name: string
  /** Only events of these types. Default: all types. */
  readonly types?: ReadonlyArray<EventType> | undefined
  /** The `seq` after which a new consumer starts. Default: new events only. */
  readonly after?: number | undefined
  /** Called once, when the consumer was removed, so that nothing more comes. */
  readonly onRemoved?: () => void
}

/** A consumer that runs in this process, or waits until it may. */
export interface RunningConsumer {
  readonly name: string
  /** Starts no further event, waits for the event in progress, and gives the consumer to other processes. */
  readonly close: Effect.Effect<void>
}

/** What the consumers of one petstore share. */
export interface ConsumerServices {
  readonly storage: Storage["Service"]
  readonly commands: Commands["Service"]
  readonly events: Events["Service"]
  readonly hasher: Hasher["Service"]
  readonly journal: Journal["Service"]
  readonly holders: typeof LeaseHolders.Service
  readonly wakes: ReplayWakes
  /** Milliseconds that a claim lasts unless it is extended. */
  readonly lease: number
  /** Closes with the petstore. */
  readonly scope: Scope.Scope
}

const register = (
  { commands, events, journal, storage }: ConsumerServices,
  { after, name, types }: ConsumerDefinition
): Effect.Effect<void, CursorExpired | StorageError> =>
  Effect.gen(function* () {
    if ((yield* storage.find(table, name)) !== undefined) return
    const latest = yield* events.latest
    const position = Math.min(after ?? latest, latest)
    yield* Effect.flatMap(storage.events.scan(position, 1), (page) => Effect.fromResult(requireKept(position, page)))
    const createdAt = yield* journal.now
    const record: ConsumerRecord = {
      name,
      position,
      lease: unclaimed,
      ...(types === undefined ? {} : { types }),
      attempts: 0,
      createdAt
    }
    // Another process may register it at the same time.
    yield* commands.run("consumers.open", function* ({ tx }) {
      if ((yield* tx.find(table, name)) === undefined) tx.add(table, record)
    })
  })

/** A consumer of this process, which handles its events while no other one does. */
class LocalConsumer {
  /** Opens when no event is handled. */
  readonly idle = Latch.makeUnsafe(true)
  readonly wake = new LoopWake()
  readonly claims: ConsumerClaims
  private readonly services: ConsumerServices
  private readonly definition: ConsumerDefinition
  private readonly holder: string
  private isDraining = false
  private isRemoved = false
  private isReported = false

  constructor(services: ConsumerServices, definition: ConsumerDefinition) {
    const { commands, hasher, holders, journal, lease, storage } = services
    const { name, types } = definition
    this.services = services
    this.definition = definition
    this.holder = holders.self + randomName(hasher.randomBytes(6))
    const { hasEnded } = holders
    this.claims = new ConsumerClaims(storage, commands, journal, { name, holder: this.holder, types, lease, hasEnded })
  }

  /** Starts no further event. */
  drain(): void {
    this.isDraining = true
    this.wake.ask()
  }

  /** Claims the consumer, unless another process has it. */
  readonly claim: Effect.Effect<Claimed<ConsumerClaim>, StorageError> = Effect.gen({ self: this }, function* () {
    if (this.isDraining || this.isRemoved) return { items: [] }
    const look = yield* this.claims.claim
    if (look === undefined) {
      this.isRemoved = true
      this.definition.onRemoved?.()
      return { items: [] }
    }
    if (look.items.length > 0) this.idle.closeUnsafe()
    if (this.isOpenTwice(look.heldBy) && !this.isReported) {
      this.isReported = true
      yield* Effect.logWarning(openTwice(this.definition.name))
    }
    return look
  })

  /** Handles events until the claim is lost or the consumer drains. */
  handle(claim: ConsumerClaim) {
    const { name, onFailure, types } = this.definition
    const { events, storage } = this.services
    return Effect.gen({ self: this }, function* () {
      const follower = yield* events.follow(claim.position, types === undefined ? {} : { types: new Set(types) })
      const context = yield* Effect.context<never>()
      const isDraining = () => this.isDraining
      const options = { name, consuming: this.definition, context, wake: this.wake, isDraining }
      yield* new ConsumerLoop(storage, this.claims, claim, options).run(follower)
    }).pipe(
      Effect.scoped,
      Effect.catchTag("ClaimLost", () => Effect.void),
      Effect.catchTag("ShuttingDown", () => Effect.never),
      Effect.catchTag("CursorExpired", (error) => Effect.andThen(onFailure(error), Effect.never)),
      Effect.andThen(Effect.suspend(() => (this.isDraining ? this.claims.release(claim) : Effect.void))),
      Effect.ensuring(Effect.sync(() => this.idle.openUnsafe()))
    )
  }

  /** Those whose claim is lost. */
  extend(items: ReadonlyArray<ConsumerClaim>) {
    return Effect.filter(items, (item) =>
      Effect.matchEffect(this.claims.record(item), {
        onFailure: (error) => (error._tag === "ClaimLost" ? Effect.succeed(true) : Effect.fail(error)),
        onSuccess: () => Effect.succeed(false)
      })
    )
  }

  private isOpenTwice(heldBy: string | undefined): boolean {
    const { self } = this.services.holders
    return self !== "" && heldBy !== this.holder && heldBy?.startsWith(self) === true
  }
}

/** Handles the events of a consumer whenever no other process does, until the scope closes or the petstore does. */
export const runConsumer = Effect.fnUntraced(function* (services: ConsumerServices, definition: ConsumerDefinition) {
  const { lease, storage, wakes } = services
  const { name } = definition
  yield* register(services, definition)
  const consumer = new LocalConsumer(services, definition)
  const scope = yield* Scope.fork(services.scope)
  const end = Scope.close(scope, Exit.void)
  yield* Effect.addFinalizer(() => end)
  yield* Scope.provide(wakes.listen(name, consumer.wake), scope)
  yield* Scope.provide(
    Worker.start<ConsumerClaim, never>({
      name: `the events of the consumer ${name}`,
      lease,
      millis: storeMillis(storage),
      concurrency: 1,
      idle: lookEveryMillis,
      recordAndClaim: () => consumer.claim,
      extend: (items) => consumer.extend(items),
      start: (item, fork) => startFiber(consumer.handle(item), fork),
      // The loop records what it has done.
      outcomeOf: () => undefined,
      release: (items) => Effect.forEach(items, consumer.claims.release, { discard: true })
    }),
    scope
  )
  const close = Effect.suspend(() => {
    consumer.drain()
    return Effect.andThen(consumer.idle.await, end)
  })
  return { name, close }
})

const openTwice = (name: string): string =>
  `The consumer ${name} is open twice in this process. Only one of the two handles its events, the other one waits until that closes. Open it once, and close a petstore before you open another one on the same store.`

/** Distinguishes the claimants of a process. */
const randomName = (bytes: Uint8Array): string => Array.from(bytes, (byte) => (byte % 36).toString(36)).join("")
