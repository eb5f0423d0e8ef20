import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { theStore } from "../../domain/access/Principal.ts"
import type { ReservationPolicy } from "../../domain/orders/Reservation.ts"
import { formatTimestamp } from "../../domain/Timestamp.ts"
import { askedBy } from "../../ports/Direct.ts"
import { Storage } from "../../ports/Storage.ts"
import type { StorageError } from "../../ports/StorageError.ts"
import { Commands } from "../../programs/Commands.ts"
import { expiredAtOnce } from "../../programs/orders/freed.ts"
import { expireSome } from "../../programs/orders/reservationCommands.ts"
import { storeMillis } from "../../programs/time.ts"
import { expiringOrders } from "../../tables/index.ts"
import { sleep, timer } from "../background/sleep.ts"

/** Milliseconds after which a process looks for orders that others have placed: one that was killed expires none of its own. */
const intervalMillis = 30_000
/** Milliseconds until the next attempt after a failure, and when others have locked all orders that are overdue. */
const retryMillis = 250

/** When orders expire, and what expires them. */
export class Reservations extends Context.Service<
  Reservations,
  {
    /** The policy of this petstore. */
    readonly policy: ReservationPolicy
    /** Expires some of the orders that are overdue, and returns how many. */
    readonly expire: Effect.Effect<number, StorageError>
  }
>()("@petstore/core/orders/Reservations") {
  /** Expires overdue orders as long as the petstore is open. Does not keep the process alive. */
  static readonly layer = Layer.effect(
    Reservations,
    Effect.gen(function* () {
      const storage = yield* Storage
      const commands = yield* Commands
      const { expiries } = commands.shared
      let isReported = false

      /** By the clock that all processes of the store share. */
      const millis = storeMillis(storage)

      /** An expiry is work of the store. */
      const expire = Effect.flatMap(millis, (now) =>
        askedBy(
          theStore,
          commands.run("orders.expire", (call) => expireSome(call, formatTimestamp(now), expiredAtOnce))
        )
      )

      /** Expires what is overdue, and returns how many milliseconds to wait then. */
      const work = Effect.gen(function* () {
        const now = yield* millis
        if (expiries.next <= now) expiries.next = Number.POSITIVE_INFINITY
        const [first] = yield* storage.select(expiringOrders, undefined, 1)
        if (first?.order.expiresAt === undefined) return
        expiries.expect(first.order.expiresAt)
        if (expiries.next > now) return
        if ((yield* expire) === 0) yield* timer(retryMillis)
        expiries.sooner.openUnsafe()
      })

      const round = Effect.gen(function* () {
        yield* expiries.sooner.close
        const exit = yield* Effect.exit(work)
        if (Exit.isFailure(exit)) {
          if (!isReported) {
            yield* Effect.logWarning("Orders that are overdue could not be expired; this is tried again", exit.cause)
          }
          isReported = true
          return yield* timer(retryMillis)
        }
        isReported = false
        const wait =
          expiries.next === Number.POSITIVE_INFINITY
            ? Effect.never
            : Effect.flatMap(millis, (now) => sleep(expiries.next - now))
        yield* Effect.raceFirst(expiries.sooner.await, Effect.raceFirst(wait, timer(intervalMillis)))
      })

      yield* Effect.forkScoped(Effect.forever(round))
      return { policy: expiries.policy, expire }
    })
  )
}
