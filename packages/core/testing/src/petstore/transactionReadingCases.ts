import type { Petstore, PetstoreApi, PetstoreTransaction } from "@petstore/core"
import type { OperationName } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, petOf } from "./given.ts"
import { assertOneIsBusy, assertTypeError, atOnce, elsewhere } from "./inTransactions.ts"
import { rejectsWith } from "./rejections.ts"

/** A method that reads, as transactions use it. */
interface Reading {
  /** Adds what it reads, and returns the id. */
  readonly given: (petstore: Petstore) => Promise<number>
  /** Reads it. */
  readonly read: (tx: PetstoreApi, id: number) => Promise<unknown>
  /** Changes what the method reads. */
  readonly change: (tx: PetstoreApi, id: number) => Promise<unknown>
}

const draft = async ({ orders }: PetstoreApi): Promise<number> => (await orders.place({})).id

const nothing = async (): Promise<number> => 0

const amendOrder: Reading["change"] = ({ orders }, id) => orders.update(id, { quantity: 7 })

const addPet: Reading["change"] = ({ pets }, categoryId) => pets.create({ name: "Rex", categoryId })

const receive: Reading["change"] = ({ inventory }, id) => inventory.adjust(id, { delta: 1, reason: "received" })

const account = async ({ accounts }: PetstoreApi): Promise<number> =>
  (await accounts.create({ name: crypto.randomUUID() })).id

const newKey = async (petstore: PetstoreApi): Promise<number> => {
  const accountId = await account(petstore)
  return (await petstore.apiKeys.create({ accountId, name: "Shop", scopes: ["pets:read"] })).id
}

const endpoint = async ({ webhooks }: PetstoreApi): Promise<number> =>
  (await webhooks.create({ url: "https://example.com/hook" })).id

const codeOf = ({ code }: { readonly code: string }): string => code

const externalId = (id: number): string => `shelf-${id}`

/** Every method by what it does: a reading, a change, or a reading of something that no method changes. */
const methods: Readonly<
  Record<
    Exclude<OperationName, `${"consumers" | "server"}.${string}`>,
    Reading | "changes" | "reads what never changes"
  >
> = {
  "pets.create": "changes",
  "pets.createAll": "changes",
  "pets.get": {
    given: (petstore) => petOf(petstore, 1),
    read: ({ pets }, id) => pets.get(id),
    change: ({ pets }, id) => pets.update(id, { name: "Tom" })
  },
  "pets.getWithInventory": {
    given: (petstore) => petOf(petstore, 1),
    read: ({ pets }, id) => pets.getWithInventory(id),
    change: receive
  },
  "pets.list": { given: category, read: ({ pets }, categoryId) => pets.list({ categoryId }), change: addPet },
  "pets.update": "changes",
  "pets.delete": "changes",
  "categories.create": "changes",
  "categories.get": {
    given: category,
    read: ({ categories }, id) => categories.get(id),
    change: ({ categories }, id) => categories.update(id, { description: "Ours" })
  },
  "categories.list": { given: nothing, read: ({ categories }) => categories.list({ limit: 100 }), change: category },
  "categories.update": "changes",
  "categories.delete": "changes",
  "inventory.get": {
    given: (petstore) => petOf(petstore, 1),
    read: ({ inventory }, id) => inventory.get(id),
    change: receive
  },
  "inventory.list": { given: category, read: ({ inventory }) => inventory.list({ limit: 100 }), change: addPet },
  "inventory.set": "changes",
  "inventory.adjust": "changes",
  "inventory.setAll": "changes",
  "inventory.adjustAll": "changes",
  "inventory.movements": {
    given: (petstore) => petOf(petstore, 1),
    read: ({ inventory }, id) => inventory.movements(id),
    change: receive
  },
  "orders.place": "changes",
  "orders.placeAll": "changes",
  "orders.get": { given: draft, read: ({ orders }, id) => orders.get(id), change: amendOrder },
  "orders.list": { given: nothing, read: ({ orders }) => orders.list({ limit: 100 }), change: draft },
  "orders.update": "changes",
  "orders.complete": "changes",
  "orders.cancel": "changes",
  "orders.reservation": {
    given: async (petstore) => {
      const petId = await petOf(petstore, 1)
      return (await petstore.orders.place({ petId }, { reserveFor: "1 hour" })).id
    },
    read: ({ orders }, id) => orders.reservation(id),
    change: ({ orders }, id) => orders.setReservation(id, { reserveFor: "1 day" })
  },
  "orders.setReservation": "changes",
  "orders.removeReservation": "changes",
  "records.get": {
    given: draft,
    read: ({ records }, id) => records.get("orders", id),
    change: ({ records }, id) => records.update("orders", id, { metadata: { shelf: "A" } })
  },
  "records.getByExternalId": {
    given: draft,
    read: ({ records }, id) => records.getByExternalId("orders", externalId(id)).catch(codeOf),
    change: ({ records }, id) => records.update("orders", id, { externalId: externalId(id) })
  },
  "records.update": "changes",
  "messages.enqueue": "changes",
  "messages.get": "reads what never changes",
  "messages.list": {
    given: nothing,
    read: ({ messages }) => messages.list({ limit: 100 }),
    change: ({ messages }) => messages.enqueue("Thank you")
  },
  "messages.requeue": "changes",
  "messages.requeueAll": "changes",
  "messages.delete": "changes",
  "accounts.create": "changes",
  "accounts.get": "reads what never changes",
  "accounts.list": {
    given: nothing,
    read: ({ accounts }) => accounts.list({ limit: 100 }),
    change: account
  },
  "apiKeys.create": "changes",
  "apiKeys.get": {
    given: newKey,
    read: ({ apiKeys }, id) => apiKeys.get(id).catch(codeOf),
    change: ({ apiKeys }, id) => apiKeys.revoke(id)
  },
  "apiKeys.list": { given: nothing, read: ({ apiKeys }) => apiKeys.list({ limit: 100 }), change: newKey },
  "apiKeys.rotate": "changes",
  "apiKeys.revoke": "changes",
  "webhooks.create": "changes",
  "webhooks.get": {
    given: endpoint,
    read: ({ webhooks }, id) => webhooks.get(id),
    change: ({ webhooks }, id) => webhooks.update(id, { enabled: false })
  },
  "webhooks.list": { given: nothing, read: ({ webhooks }) => webhooks.list({ limit: 100 }), change: endpoint },
  "webhooks.update": "changes",
  "webhooks.delete": "changes",
  "webhooks.rotateSecret": "changes",
  "webhooks.test": "changes",
  "webhooks.deliveries": {
    given: async (petstore) => {
      await draft(petstore)
      return endpoint(petstore)
    },
    read: ({ webhooks }, id) => webhooks.deliveries(id),
    change: ({ webhooks }, id) => webhooks.redeliver(id, { after: 0 })
  },
  "webhooks.redeliver": "changes",
  "deliveries.get": "reads what never changes",
  "deliveries.list": "reads what never changes",
  "deliveries.requeueAll": "changes",
  "events.list": { given: nothing, read: ({ events }) => events.list({ limit: 100 }), change: draft },
  "events.latest": { given: nothing, read: ({ events }) => events.latest(), change: draft },
  // A transaction cannot follow the log.
  "events.stream": "reads what never changes"
}

/** Other readings of the same methods. */
const variants: Readonly<Record<string, Reading>> = {
  "the total of pets.list": {
    given: category,
    read: async ({ pets }, categoryId) => (await pets.list({ categoryId, limit: 1, count: true })).total,
    change: addPet
  },
  "the total of orders.list": {
    given: nothing,
    read: async ({ orders }) => (await orders.list({ limit: 1, count: true })).total,
    change: draft
  },
  "orders.list of a user": {
    given: nothing,
    read: (tx) => asAda(tx).orders.list(),
    change: (tx) => draft(asAda(tx))
  },
  "events.list of a user": {
    given: nothing,
    read: (tx) => asAda(tx).events.list(),
    change: (tx) => draft(asAda(tx))
  },
  "events.list of a type": {
    given: category,
    read: ({ events }) => events.list({ types: ["pet.created"] }),
    change: addPet
  },
  "messages.list of a status": {
    given: nothing,
    read: ({ messages }) => messages.list({ status: "queued" }),
    change: ({ messages }) => messages.enqueue("Thank you")
  },
  "several lists": {
    given: nothing,
    read: async ({ accounts, messages }) => [await accounts.list(), await messages.list()],
    change: ({ messages }) => messages.enqueue("Thank you")
  }
}

const asAda = (tx: PetstoreApi): PetstoreApi => (tx as PetstoreTransaction).as({ user: "ada" })

const isReading = (entry: [string, Reading | string]): entry is [string, Reading] => typeof entry[1] !== "string"

const readings = [...Object.entries(methods), ...Object.entries(variants)].filter(isReading)

const casesOf = ([name, { change, given, read }]: readonly [string, Reading]) => ({
  [`${name}: of two transactions that each change what the other one has read, the later one is busy`]: async (
    petstore: Petstore
  ) => {
    const [one, other] = [await given(petstore), await given(petstore)]
    const decide = (seen: number, changed: number) => async (tx: PetstoreTransaction) => {
      await read(tx, seen)
      await change(tx, changed)
    }
    await assertOneIsBusy(await atOnce(petstore, decide(one, other), decide(other, one)))
  },
  [`${name}: a transaction is busy if somebody has changed what it has read, and otherwise commits`]: async (
    petstore: Petstore
  ) => {
    const id = await given(petstore)
    const changed = elsewhere(() => change(petstore, id))
    const before = await read(petstore, id)
    const decide = (meanwhile: () => Promise<unknown>) =>
      petstore.transaction(async (tx) => {
        assertEqual(await read(tx, id), before, "what it reads")
        await meanwhile()
        await tx.categories.create({ name: "Decided" })
      })
    await rejectsWith("storage_busy", decide(changed))
    const after = await read(petstore, id)
    assertTrue(JSON.stringify(after) !== JSON.stringify(before), `${JSON.stringify(after)} is not as before`)
    await petstore.transaction(async (tx) => {
      await read(tx, id)
      await tx.categories.create({ name: "Decided" })
    })
  }
})

/** What the bodies of `petstore.transaction` read takes part in their isolation, whichever method reads it. */
export const transactionReadingCases = petstoreCases<Petstore>("transactions: what they read", {
  ...Object.assign({}, ...readings.map(casesOf)),
  "a total counts what the transaction has changed": async (petstore: Petstore) => {
    const categoryId = await category(petstore)
    const { id: first } = await petstore.pets.create({ name: "Leo", categoryId })
    await petstore.pets.create({ name: "Tim", categoryId })
    await petstore.transaction(async ({ pets }) => {
      for (const name of ["Rex", "Tom", "Max"]) await pets.create({ name, categoryId })
      await pets.delete(first)
      const { total } = await pets.list({ categoryId, limit: 1, count: true })
      assertEqual(total, { count: 4, isExact: true })
    })
  },
  "a transaction cannot follow the event log": async (petstore: Petstore) => {
    await petstore.transaction(async ({ as, events }) => {
      for (const log of [events, as({ user: "ada" }).events]) {
        await assertTypeError(log.subscribe(() => undefined))
        await assertTypeError(log.stream({ after: 0 })[Symbol.asyncIterator]().next())
      }
    })
  }
})
