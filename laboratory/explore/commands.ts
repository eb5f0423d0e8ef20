import { type Petstore, type Rules, refusal } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Commands, giveUpMessage } from "@petstore/core/runtime"
import * as tables from "@petstore/core/tables"
import { createStockedPet } from "@petstore/testing"
import * as Effect from "effect/Effect"
import type { ExploreOptions } from "./explore.ts"

/** Records that nobody could deliver a message. */
const giveUp = (petstore: Petstore, messageId: string) =>
  runtimeOf(petstore).runPromise(
    Effect.flatMap(Commands, ({ run }) =>
      run("messages.finish", function* (call) {
        const message = yield* call.tx.lock(tables.messages, messageId)
        if (message !== undefined) giveUpMessage(call, message, "Nobody is there")
      })
    )
  )

/** Two categories, of which the second is empty; three pets; orders 1 and 4 of pet 1, 2 of pet 2, and a draft; a message that has failed. */
const given = async (petstore: Petstore): Promise<void> => {
  const { accounts, categories, messages, orders } = petstore
  for (const name of ["Dogs", "Cats"]) await categories.create({ name })
  await createStockedPet(petstore, { name: "Rex", categoryId: 1, onHand: 3 })
  await createStockedPet(petstore, { name: "Tom", categoryId: 1, onHand: 2 })
  await createStockedPet(petstore, { name: "Leo", categoryId: 1 })
  for (const petId of [1, 2]) await orders.place({ petId })
  await orders.place({ quantity: 1 })
  await orders.place({ petId: 1 })
  await accounts.create({ name: "Acme" })
  await giveUp(petstore, (await messages.enqueue("Feed Rex")).id)
}

const shipDate = "2031-01-01T00:00:00.000Z"

/** Commands that rules of a host decide on, or whose changes such rules see. */
const ruled: ExploreOptions["commands"] = {
  "place an order of pet 1": ({ orders }) => orders.place({ petId: 1 }),
  "place a complete order of pet 2": ({ orders }) => orders.place({ petId: 2, complete: true }),
  "place an order of pet 3": ({ orders }) => orders.place({ petId: 3 }),
  "place a draft": ({ orders }) => orders.place({}),
  "place an order of pet 1 with a key": ({ orders }) => orders.place({ petId: 1 }, { idempotencyKey: "order" }),
  "place an order of pet 1 as Ada": (petstore) => petstore.as({ user: "ada" }).orders.place({ petId: 1 }),
  "place orders of pets 1 and 2": ({ orders }) => orders.placeAll([{ petId: 1, quantity: 2 }, { petId: 2 }]),
  "place orders of pets 2 and 1": ({ orders }) => orders.placeAll([{ petId: 2 }, { petId: 1 }, {}]),
  "place orders of pet 2 with a key": ({ orders }) =>
    orders.placeAll([{ petId: 2 }, { petId: 2, complete: true }], { idempotencyKey: "basket" }),
  "move order 1 to pet 2": ({ orders }) => orders.update(1, { petId: 2 }),
  "move order 2 to pet 1": ({ orders }) => orders.update(2, { petId: 1 }),
  "order pet 1 by draft 3 if it is unchanged": ({ orders }) => orders.update(3, { petId: 1 }, { ifVersion: 1 }),
  "date order 1 if it is unchanged": ({ orders }) => orders.update(1, { shipDate }, { ifVersion: 1 }),
  "complete order 1": ({ orders }) => orders.complete(1),
  "cancel order 1": ({ orders }) => orders.cancel(1),
  "cancel order 4": ({ orders }) => orders.cancel(4),
  "create a pet in category 1": ({ pets }) => pets.create({ name: "New", categoryId: 1 }),
  "create a pet in category 2": ({ pets }) => pets.create({ name: "New", categoryId: 2 }),
  "create a pet in category 2 with a key": ({ pets }) =>
    pets.create({ name: "New", categoryId: 2 }, { idempotencyKey: "pet" }),
  "create pets in categories 2 and 1": ({ pets }) =>
    pets.createAll([2, 1].map((categoryId) => ({ name: "New", categoryId }))),
  "rename pet 1 if it is unchanged": ({ pets }) => pets.update(1, { name: "Max" }, { ifVersion: 1 }),
  "hold pet 1": ({ pets }) => pets.update(1, { status: "pending" }),
  "move pet 2 to category 2": ({ pets }) => pets.update(2, { categoryId: 2 }),
  "delete pet 2": ({ pets }) => pets.delete(2),
  "delete pet 3": ({ pets }) => pets.delete(3),
  "set the stock of pet 1": ({ inventory }) => inventory.set(1, 2),
  "receive units of pet 1": ({ inventory }) => inventory.adjust(1, { delta: 2, reason: "received" }),
  "take a damaged unit of pet 1": ({ inventory }) => inventory.adjust(1, { delta: -1, reason: "damaged" }),
  "count pets 2 and 1": ({ inventory }) =>
    inventory.setAll([
      { petId: 2, quantity: 3 },
      { petId: 1, quantity: 4, ifVersion: 1 }
    ]),
  "receive units of pets 2 and 1": ({ inventory }) =>
    inventory.adjustAll([
      { petId: 2, delta: 1, reason: "received" },
      { petId: 1, delta: 2, reason: "received" },
      { petId: 2, delta: -1, reason: "damaged" }
    ]),
  "create a category": ({ categories }) => categories.create({ name: "Birds" }),
  "create a category with a key": ({ categories }) =>
    categories.create({ name: "Birds" }, { idempotencyKey: "category" }),
  "rename category 2": ({ categories }) => categories.update(2, { name: "birds" }),
  "describe category 2": ({ categories }) => categories.update(2, { description: "They purr." }),
  "delete category 2": ({ categories }) => categories.delete(2),
  "take an external id for pet 1": ({ records }) => records.update("pets", 1, { externalId: "A-1" }),
  "take the same external id for pet 3": ({ records }) =>
    records.update("pets", 3, { externalId: "A-1", metadata: { chip: "276" } }),
  "annotate order 1": ({ records }) => records.update("orders", 1, { metadata: { gift: "yes" } })
}

/** Every command that is a program, in the ways in which it meets others. */
export const petstoreCommands: Omit<ExploreOptions, "atOnce"> = {
  given,
  commands: {
    ...ruled,
    "order pets 1 and 2 in a transaction": (petstore) =>
      petstore.transaction(async ({ orders }) => {
        for (const petId of [2, 1]) await orders.place({ petId })
      }),
    "empty pet 3 in a transaction if there is a pet 2": (petstore) =>
      petstore.transaction(async ({ inventory }) => {
        if ((await inventory.get(2)).quantity > 0) await inventory.set(3, 0)
      }),
    "fill pet 2 in a transaction if there is a pet 3": (petstore) =>
      petstore.transaction(async ({ inventory }) => {
        if ((await inventory.get(3)).quantity > 0) await inventory.set(2, 7)
      }),
    "create an account": ({ accounts }) => accounts.create({ name: "Zoo" }),
    "create an account with a key": ({ accounts }) => accounts.create({ name: "zoo" }, { idempotencyKey: "account" }),
    "queue a message": ({ messages }) => messages.enqueue("Feed Tom"),
    "queue a message with a key": ({ messages }) => messages.enqueue("Feed Tom", { idempotencyKey: "message" }),
    "queue a message again": async ({ messages }) =>
      messages.requeue((await messages.list()).items.map(({ id }) => id).join()),
    "queue failed messages again": ({ messages }) => messages.requeueAll({ status: "failed" }),
    "delete a message": async ({ messages }) =>
      messages.delete((await messages.list()).items.map(({ id }) => id).join())
  }
}

class NotForCats extends refusal("not_for_cats", () => "Cats are not for sale.") {}

const refuseCats = ({ pet }: { readonly pet?: { readonly category: { readonly name: string } } }) =>
  pet?.category.name === "Cats" ? new NotForCats({}) : undefined

const rules: Rules = { newPet: refuseCats, petStatus: refuseCats, order: refuseCats, cancellation: refuseCats }

/** The commands that rules of a host application decide on, with such rules. */
export const ruledCommands: typeof petstoreCommands = { given, commands: ruled, rules }
