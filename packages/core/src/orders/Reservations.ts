import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Latch from "effect/Latch"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Principal, theStore } from "../access/Principal.ts"
import type { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { formatTimestamp, plusMillis } from "../domain/Timestamp.ts"
import type { Command } from "../engine/Command.ts"
import { orElse } from "../ports/Direct.ts"
import { Storage } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { sleep, timer } from "../services/background/sleep.ts"
import type { Call } from "../services/Call.ts"
import { Commands } from "../services/Commands.ts"
import type { ReserveOptions } from "../services/Options.ts"
import { storeMillis } from "../services/storeTime.ts"
import { expiringOrders, overdueOrdersOf } from "../tables/index.ts"
import { InsufficientStock, type UnknownPet } from "./OrderErrors.ts"
import { type Expiry, type ReservationPolicy, reserveMillis } from "./Reservation.ts"
import { expireSome, expireThese } from "./reservationCommands.ts"

/** Orders that one transaction expires. */
const batch = 100

/** Milliseconds after which a process looks for orders that others have placed: one that was killed expires none of its own. */
const interval = 30_000
/** Milliseconds until the next attempt after a failure, and when others have locked all orders that are overdue. */
const retry = 250

type Port = Storage["Service"]
type Runner = Commands["Service"]

/** An expiry is work of the store, whichever call waits for it. */
const expireBy = (
  commands: Runner,
  command: (call: Call) => Command<number, UnknownPet>
): Effect.Effect<number, StorageError> =>
  commands.run("orders.expire", command).pipe(
    Effect.provideService(Principal, theStore),
    // The pet of an open order is never deleted.
    Effect.catchTag("UnknownPet", Effect.die)
  )

const freeingIn = (storage: Port, commands: Runner): Reservations["Service"]["freeing"] => {
  /** Expires overdue orders of a pet; returns false if there are none. */
  const expireOf = Effect.fnUntraced(function* (petId: number, except: number | undefined) {
    const now = formatTimestamp(yield* storeMillis(storage))
    const found = yield* storage.select(overdueOrdersOf, { petId, now }, batch)
    const ids = found.flatMap(({ id }) => (id === except ? [] : [id]))
    if (ids.length > 0) yield* expireBy(commands, (call) => expireThese(call, ids, now))
    return ids.length > 0
  })

  const freeing: Reservations["Service"]["freeing"] = (command, except) =>
    orElse(
      command,
      (error) => error instanceof InsufficientStock,
      (error) =>
        Effect.flatMap(expireOf(error.details.petId, except), (hasFreed) =>
          hasFreed ? freeing(command, except) : Effect.fail(error)
        )
    )
  return freeing
}

/** When orders expire, and what expires them. */
export class Reservations extends Context.Service<
  Reservations,
  {
    /** The policy of this engine. */
    readonly policy: ReservationPolicy
    /** Reads the time of the store, and checks `reserveFor`. */
    readonly expiry: (options: ReserveOptions | undefined) => Effect.Effect<Expiry, ValidationFailed>
    /**
     * Runs a command that may want units which only overdue orders hold: these expire, and it runs again. `except`: an order that it
     * changes itself.
     */
    readonly freeing: <A, E>(command: Effect.Effect<A, E>, except?: number) => Effect.Effect<A, E | StorageError>
    /** Expires some of the orders that are overdue, and returns how many. */
    readonly expire: Effect.Effect<number, StorageError>
  }
>()("@petstore/core/orders/Reservations") {
  /** Expires overdue orders as long as the engine is open. Does not keep the process alive. */
  static readonly layer = (policy: ReservationPolicy) =>
    Layer.effect(
      Reservations,
      Effect.gen(function* () {
        const storage = yield* Storage
        const commands = yield* Commands
        const more = Latch.makeUnsafe(false)
        let next = Number.POSITIVE_INFINITY
        let isReported = false

        /** By the clock that all processes of the store share. */
        const millis = storeMillis(storage)
        const storeTime = Effect.map(millis, formatTimestamp)

        /** Looks again when this order is due: it may not be committed before, if it is part of a larger transaction. */
        const expect = (expiresAt: string): void => {
          const due = Date.parse(expiresAt)
          if (due >= next) return
          next = due
          more.openUnsafe()
        }

        const expiry: Reservations["Service"]["expiry"] = Effect.fnUntraced(function* (options) {
          const { reserveFor } = options ?? {}
          if (reserveFor !== undefined) yield* Effect.fromResult(reserveMillis(reserveFor))
          const now = yield* storeTime
          return ({ ownOnly }) =>
            Result.map(reserveMillis(reserveFor ?? policy.expireAfter), (wanted) => {
              const most = ownOnly === true ? Result.getOrElse(reserveMillis(policy.expireAfter), () => wanted) : wanted
              const expiresAt = plusMillis(now, Math.min(wanted, most))
              expect(expiresAt)
              return expiresAt
            })
        })

        const expire = Effect.flatMap(storeTime, (now) => expireBy(commands, (call) => expireSome(call, now, batch)))

        /** Expires what is overdue, and returns how many milliseconds to wait then. */
        const work = Effect.gen(function* () {
          const now = yield* millis
          if (next <= now) next = Number.POSITIVE_INFINITY
          const [first] = yield* storage.select(expiringOrders, undefined, 1)
          if (first?.order.expiresAt === undefined) return
          expect(first.order.expiresAt)
          if (next > now) return
          if ((yield* expire) === 0) yield* timer(retry)
          more.openUnsafe()
        })

        const round = Effect.gen(function* () {
          yield* more.close
          const exit = yield* Effect.exit(work)
          if (Exit.isFailure(exit)) {
            if (!isReported) {
              yield* Effect.logWarning("Orders that are overdue could not be expired; this is tried again", exit.cause)
            }
            isReported = true
            return yield* timer(retry)
          }
          isReported = false
          const wait =
            next === Number.POSITIVE_INFINITY ? Effect.never : Effect.flatMap(millis, (now) => sleep(next - now))
          yield* Effect.raceFirst(more.await, Effect.raceFirst(wait, timer(interval)))
        })

        yield* Effect.forkScoped(Effect.forever(round))
        return { policy, expiry, freeing: freeingIn(storage, commands), expire }
      })
    )

  /** Those of another store, for calls that run on the store and its commands in the context. */
  static readonly sharing = ({ expire, expiry, policy }: Reservations["Service"]) =>
    Layer.effect(
      Reservations,
      Effect.gen(function* () {
        return { policy, expiry, freeing: freeingIn(yield* Storage, yield* Commands), expire }
      })
    )
}
