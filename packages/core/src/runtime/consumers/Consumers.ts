import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { type Consumer, type ParkedEvent, parkedKeyOf } from "../../domain/consumers/Consumer.ts"
import type { InvalidCursor } from "../../domain/errors/InputErrors.ts"
import { type CursorExpired, NotFound } from "../../domain/errors/RequestErrors.ts"
import { limits } from "../../domain/limits.ts"
import type { Page } from "../../domain/Page.ts"
import type { PageQuery } from "../../domain/PageQuery.ts"
import { type Command, fail } from "../../kernel/Command.ts"
import { Hasher } from "../../ports/Hasher.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import type { Call } from "../../programs/Call.ts"
import { Commands } from "../../programs/Commands.ts"
import { Journal } from "../../programs/events/Journal.ts"
import { notFound } from "../../programs/notFound.ts"
import { pageOf } from "../../programs/pagination.ts"
import { readBy } from "../../programs/readBy.ts"
import type { ConsumerRecord, ParkedEventRecord } from "../../tables/consumerTables.ts"
import { consumersAfter, parkedEventsOf, parkedEvents as parkedTable, consumers as table } from "../../tables/index.ts"
import { Events } from "../events/Events.ts"
import { LeaseHolders } from "./LeaseHolders.ts"
import { ReplayWakes } from "./LoopWake.ts"
import { type ConsumerDefinition, type ConsumerServices, type RunningConsumer, runConsumer } from "./runConsumer.ts"

/**
 * Milliseconds that a process which has died delays the next one that handles the events of a consumer, unless that one sees that it
 * has ended; tests choose less.
 */
export const ConsumerLease: Context.Reference<number> = Context.Reference<number>(
  "@petstore/core/consumers/ConsumerLease",
  { defaultValue: () => 10_000 }
)

/** The durable consumers of events. */
export class Consumers extends Context.Service<
  Consumers,
  {
    /**
     * Registers a consumer, and handles its events whenever no other process does, until the scope closes or the petstore does.
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
      const wakes = new ReplayWakes()
      const services: ConsumerServices = {
        storage,
        commands,
        events,
        hasher: yield* Hasher,
        journal: yield* Journal,
        holders: yield* LeaseHolders,
        wakes,
        lease: yield* ConsumerLease,
        scope: yield* Effect.scope
      }
      const read = readBy(storage)

      return {
        consume: (definition) => runConsumer(services, definition),
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
            read(function* (rows) {
              return (yield* rows.find(table, name)) ?? (yield* notFound("consumer", name))
            }),
            (record) => Effect.map(events.latest, (latest) => toConsumer(latest)(record))
          ),
        remove: (name) => commands.run("consumers.remove", (call) => remove(call, name)),
        parked: (name, query = {}) =>
          read(function* (rows) {
            if ((yield* rows.find(table, name)) === undefined) yield* notFound("consumer", name)
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
            () => wakes.ask(name)
          ),
        discard: (name, seq) =>
          commands.run("consumers.discard", function* (call) {
            call.tx.remove(parkedTable, yield* lockParked(call, name, seq))
          })
      }
    })
  )
}

/** Removes a consumer with its parked events. */
function* remove({ tx }: Call, name: string): Command<void, NotFound> {
  const record = yield* tx.lock(table, name)
  if (record === undefined) return yield* fail(NotFound.of("consumer", name))
  for (const event of yield* tx.all(parkedEventsOf, { consumer: name, after: 0 }, limits.id))
    tx.remove(parkedTable, event)
  tx.remove(table, record)
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
