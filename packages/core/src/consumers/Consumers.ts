import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { InvalidCursor } from "../domain/errors/InputErrors.ts"
import { type CursorExpired, NotFound } from "../domain/errors/RequestErrors.ts"
import { unclaimed } from "../domain/Lease.ts"
import { limits } from "../domain/limits.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import { type Command, fail } from "../engine/Command.ts"
import type { EventType } from "../events/Event.ts"
import { requireKept } from "../events/EventFollower.ts"
import { Events } from "../events/Events.ts"
import { Journal } from "../events/Journal.ts"
import { Hasher } from "../ports/Hasher.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { startFiber } from "../services/background/calls.ts"
import { Worker } from "../services/background/Worker.ts"
import type { Call } from "../services/Call.ts"
import { Commands } from "../services/Commands.ts"
import { found } from "../services/found.ts"
import { pageOf } from "../services/pagination.ts"
import { readBy } from "../services/readBy.ts"
import { storeMillis } from "../services/storeTime.ts"
import { consumersAfter, parkedEventsOf, parkedEvents as parkedTable, consumers as table } from "../tables/index.ts"
import { type Consumer, type ParkedEvent, parkedKeyOf } from "./Consumer.ts"
import { type ConsumerClaim, ConsumerClaims } from "./ConsumerClaims.ts"
import { ConsumerLoop } from "./ConsumerLoop.ts"
import type { ConsumerRecord, ParkedEventRecord } from "./consumerTables.ts"
import type { Consuming } from "./EventHandler.ts"
import { LeaseHolders } from "./LeaseHolders.ts"
import { LoopWake } from "./LoopWake.ts"

/**
 * Milliseconds that a process which has died delays the next one that handles the events of a consumer, unless that one sees that it
 * has ended; tests choose less.
 */
export const ConsumerLease: Context.Reference<number> = Context.Reference<number>(
  "@petstore/core/consumers/ConsumerLease",
  { defaultValue: () => 10_000 }
)

/** Milliseconds after which a process that waits looks whether the holder of a consumer has ended or closed it. */
const lookEvery = 1_000

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

/** The durable consumers of events. */
export class Consumers extends Context.Service<
  Consumers,
  {
    /**
     * Registers a consumer, and handles its events whenever no other process does, until the scope closes or the engine does.
     * Fails with `CursorExpired` if it is new and its first event is no longer kept.
     */
    readonly consume: (
      definition: ConsumerDefinition
    ) => Effect.Effect<RunningConsumer, CursorExpired | StorageError, Scope.Scope>
    readonly list: (query?: PageQuery) => Effect.Effect<Page<Consumer>, InvalidCursor | StorageError>
    readonly get: (name: string) => Effect.Effect<Consumer, NotFound | StorageError>
    /** Removes a consumer with its parked events. Where it runs, it ends. */
    readonly remove: (name: string) => Effect.Effect<void, NotFound | StorageError>
    readonly parked: (
      name: string,
      query?: PageQuery
    ) => Effect.Effect<Page<ParkedEvent>, InvalidCursor | NotFound | StorageError>
    /** Has a parked event handled once more, as soon as its consumer runs. */
    readonly replay: (name: string, seq: number) => Effect.Effect<void, NotFound | StorageError>
    /** Forgets a parked event. */
    readonly discard: (name: string, seq: number) => Effect.Effect<void, NotFound | StorageError>
  }
>()("@petstore/core/consumers/Consumers") {
  static readonly layer = Layer.effect(
    Consumers,
    Effect.gen(function* () {
      const storage = yield* Storage
      const commands = yield* Commands
      const events = yield* Events
      const hasher = yield* Hasher
      const journal = yield* Journal
      const lease = yield* ConsumerLease
      const { hasEnded, self } = yield* LeaseHolders
      const engineScope = yield* Effect.scope
      /** What makes the consumers of this engine look for replays, by name. */
      const looks = new Map<string, Set<LoopWake>>()

      const register = ({ after, name, types }: ConsumerDefinition) =>
        Effect.gen(function* () {
          if ((yield* storage.find(table, name)) !== undefined) return
          const latest = yield* events.latest
          const position = Math.min(after ?? latest, latest)
          yield* Effect.flatMap(storage.events.scan(position, 1), (page) =>
            Effect.fromResult(requireKept(position, page))
          )
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

      const consume = Effect.fnUntraced(function* (definition: ConsumerDefinition) {
        const { name, onRemoved = () => {}, types } = definition
        yield* register(definition)
        const holder = self + randomName(hasher.randomBytes(6))
        const claims = new ConsumerClaims(storage, commands, journal, { name, holder, types, lease, hasEnded })
        const look = new LoopWake()
        const idle = Latch.makeUnsafe(true)
        const filter = types === undefined ? {} : { types: new Set(types) }
        let isDraining = false
        let isRemoved = false
        let isReported = false

        const run = (claim: ConsumerClaim) =>
          Effect.gen(function* () {
            const follower = yield* events.follow(claim.position, filter)
            const context = yield* Effect.context<never>()
            const options = { name, consuming: definition, context, wake: look, isDraining: () => isDraining }
            const loop = new ConsumerLoop(storage, claims, claim, options)
            yield* loop.run(follower)
          }).pipe(
            Effect.scoped,
            Effect.catchTag("ClaimLost", () => Effect.void),
            Effect.catchTag("ShuttingDown", () => Effect.never),
            Effect.catchTag("CursorExpired", (error) => Effect.andThen(definition.onFailure(error), Effect.never)),
            Effect.andThen(Effect.suspend(() => (isDraining ? claims.release(claim) : Effect.void))),
            Effect.ensuring(Effect.sync(() => idle.openUnsafe()))
          )

        const claim = Effect.gen(function* () {
          if (isDraining || isRemoved) return { items: [] }
          const found = yield* claims.claim
          if (found === undefined) {
            isRemoved = true
            onRemoved()
            return { items: [] }
          }
          if (found.items.length > 0) idle.closeUnsafe()
          const isOpenTwice = self !== "" && found.heldBy !== holder && found.heldBy?.startsWith(self) === true
          if (isOpenTwice && !isReported) {
            isReported = true
            yield* Effect.logWarning(openTwice(name))
          }
          return found
        })

        const scope = yield* Scope.fork(engineScope)
        const end = Scope.close(scope, Exit.void)
        yield* Effect.addFinalizer(() => end)
        const remember = looks.get(name) ?? new Set()
        looks.set(name, remember.add(look))
        yield* Scope.addFinalizer(
          scope,
          Effect.sync(() => {
            remember.delete(look)
            if (remember.size === 0 && looks.get(name) === remember) looks.delete(name)
          })
        )
        yield* Scope.provide(
          Worker.start<ConsumerClaim, never>({
            name: `the events of the consumer ${name}`,
            lease,
            millis: storeMillis(storage),
            activity: storage.activity,
            concurrency: 1,
            idle: lookEvery,
            recordAndClaim: () => claim,
            extend: (items) =>
              Effect.filter(items, (item) =>
                Effect.matchEffect(claims.record(item), {
                  onFailure: (error) => (error._tag === "ClaimLost" ? Effect.succeed(true) : Effect.fail(error)),
                  onSuccess: () => Effect.succeed(false)
                })
              ),
            start: (item, fork) => startFiber(run(item), fork),
            // The loop records what it has done.
            outcomeOf: () => undefined,
            release: (items) => Effect.forEach(items, claims.release, { discard: true })
          }),
          scope
        )
        const close = Effect.suspend(() => {
          isDraining = true
          look.ask()
          return Effect.andThen(idle.await, end)
        })
        return { name, close }
      })

      const read = readBy(storage)

      return {
        consume,
        list: (query = {}) =>
          Effect.flatMap(events.latest, (latest) =>
            read((rows) =>
              pageOf(query, {
                list: "consumers",
                start: "",
                rows: (after, limit) => rows.all(consumersAfter, after, limit),
                position: ({ name }) => name,
                item: toConsumer(latest)
              })
            )
          ),
        get: (name) =>
          Effect.flatMap(
            read((rows) => found("consumer", name, rows.find(table, name))),
            (record) => Effect.map(events.latest, (latest) => toConsumer(latest)(record))
          ),
        remove: (name) =>
          commands.run("consumers.remove", function* ({ tx }) {
            const record = yield* tx.lock(table, name)
            if (record === undefined) return yield* fail(NotFound.of("consumer", name))
            for (const event of yield* tx.all(parkedEventsOf, { consumer: name, after: 0 }, limits.id))
              tx.remove(parkedTable, event)
            tx.remove(table, record)
          }),
        parked: (name, query = {}) =>
          read(function* (rows) {
            yield* found("consumer", name, rows.find(table, name))
            return yield* pageOf(query, {
              list: "parked",
              filters: { name },
              start: 0,
              rows: (after, limit) => rows.all(parkedEventsOf, { consumer: name, after }, limit),
              position: ({ seq }) => seq,
              item: toParkedEvent
            })
          }),
        replay: (name, seq) =>
          Effect.map(
            commands.run("consumers.replay", function* (call) {
              const event = yield* lockParked(call, name, seq)
              call.tx.save(parkedTable, { ...event, replay: true })
            }),
            () => {
              for (const look of looks.get(name) ?? []) look.ask()
            }
          ),
        discard: (name, seq) =>
          commands.run("consumers.discard", function* (call) {
            call.tx.remove(parkedTable, yield* lockParked(call, name, seq))
          })
      }
    })
  )
}

/** A parked event, whose consumer is locked. */
function* lockParked({ tx }: Call, consumer: string, seq: number): Command<ParkedEventRecord, NotFound> {
  if ((yield* tx.lock(table, consumer)) === undefined) return yield* fail(NotFound.of("consumer", consumer))
  const event = yield* tx.find(parkedTable, parkedKeyOf({ consumer, seq }))
  return (
    event ??
    (yield* fail(
      new NotFound(
        { kind: "parked event", id: seq },
        { message: `There is no parked event ${seq} of the consumer ${consumer}.` }
      )
    ))
  )
}

const openTwice = (name: string): string =>
  `The consumer ${name} is open twice in this process. Only one of the two handles its events, the other one waits until that closes. Open it once, and close a petstore before you open another one on the same store.`

/** Distinguishes the claimants of a process. */
const randomName = (bytes: Uint8Array): string => Array.from(bytes, (byte) => (byte % 36).toString(36)).join("")

const toConsumer =
  (latest: number) =>
  ({ attempts, createdAt, failure, holder, lease, name, position, retryAt, types }: ConsumerRecord): Consumer => ({
    name,
    position,
    lag: Math.max(0, latest - position),
    ...(types === undefined ? {} : { types }),
    ...(lease.until === undefined || holder === undefined ? {} : { lease: { holder, until: lease.until } }),
    attempts,
    ...(retryAt === undefined ? {} : { retryAt }),
    ...(failure === undefined ? {} : { lastError: failure }),
    createdAt
  })

const toParkedEvent = ({ attempts, failure, parkedAt, replay, seq }: ParkedEventRecord): ParkedEvent => ({
  seq,
  attempts,
  error: failure,
  parkedAt,
  replaying: replay
})
