import type { Petstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import type { Yielded } from "@petstore/core/kernel"
import { type Call, Commands } from "@petstore/core/runtime"
import { createStockedPet } from "@petstore/testing"
import * as Effect from "effect/Effect"
import { expireSome, expireThese, setExpiry } from "../../packages/core/src/programs/orders/reservationCommands.ts"
import type { ExploreOptions } from "./explore.ts"

const start = Date.parse("2030-01-01T00:00:00.000Z")
const days = (count: number): string => new Date(start + count * 86_400_000).toISOString()

/** Orders 1 and 2 hold both units of pet 1 for two days, order 4 one of the two of pet 2 for one day; order 3 does not expire. */
const given = async (petstore: Petstore): Promise<void> => {
  await createStockedPet(petstore, { name: "Rex", onHand: 2 })
  await createStockedPet(petstore, { name: "Tom", onHand: 2 })
  for (let order = 0; order < 2; order++) await petstore.orders.place({ petId: 1 }, { reserveFor: "2 days" })
  await petstore.orders.place({ petId: 2 })
  await petstore.orders.place({ petId: 2 }, { reserveFor: "1 day" })
}

const running =
  (command: (call: Call) => Generator<Yielded, unknown, unknown>) =>
  (petstore: Petstore): Promise<unknown> =>
    runtimeOf(petstore).runPromise(Effect.flatMap(Commands, ({ run }) => run("orders.expire", command)))

/**
 * What happens to orders when their time is over, in the ways in which it meets what else happens to them. A claim leaves out what others
 * have locked: none here locks the order that is overdue and leaves it overdue.
 */
export const reservationCommands: Omit<ExploreOptions, "atOnce"> = {
  given,
  commands: {
    "expire what is overdue": running((call) => expireSome(call, days(1), 9)),
    "expire orders 2 and 1, which hold what is wanted": running((call) => expireThese(call, [2, 1], days(2))),
    "expire order 4, which holds what is wanted": running((call) => expireThese(call, [4], days(2))),
    "extend order 1": running((call) => setExpiry(call, 1, days(9))),
    "keep order 4": ({ orders }) => orders.removeReservation(4),
    "complete order 1": ({ orders }) => orders.complete(1),
    "cancel order 2": ({ orders }) => orders.cancel(2),
    "complete order 4": ({ orders }) => orders.complete(4),
    "place an order of pet 1": ({ orders }) => orders.place({ petId: 1 }, { reserveFor: "1 day" }),
    "place an order of pet 2": ({ orders }) => orders.place({ petId: 2, quantity: 2 }),
    "order both units of pet 2 by order 3": ({ orders }) => orders.update(3, { quantity: 2 })
  }
}

/**
 * The same beside claims of several orders, each of which leaves out what others have locked. So they are no serial program: such a claim
 * is as good as several, one after the other, of one order each.
 */
export const sweeps: typeof reservationCommands = {
  given,
  commands: {
    ...reservationCommands.commands,
    "expire all orders": running((call) => expireSome(call, days(2), 9)),
    "expire two orders": running((call) => expireSome(call, days(2), 2))
  }
}
