import type { Petstore, PetstoreApi, PetstoreTransaction } from "@petstore/core"
import type { OperationName } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { petstoreCases } from "./cases.ts"
import { category, petOf } from "./given.ts"
import { assertOneIsBusy, atOnce, elsewhere } from "./inTransactions.ts"
import { assertTypeError, rejectsWith } from "./rejections.ts"

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

const thank: Reading["change"] = ({ messages }) => messages.enqueue("Thank you")

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

const pet = (petstore: PetstoreApi): Promise<number> => petOf(petstore, 1)

/** What something reads, by itself or of what is given, and what changes that. */
const reading = (read: Reading["read"], change: Reading["change"], given: Reading["given"] = nothing): Reading => ({
  given,
  read,
  change
})

/** What the methods are called that change something. */
type Verb =
  | ("create" | "createAll" | "update" | "delete" | "set" | "setAll" | "adjust" | "adjustAll" | "place" | "placeAll")
  | ("complete" | "cancel" | "setReservation" | "removeReservation" | "enqueue" | "requeue" | "requeueAll")
  | ("rotate" | "revoke" | "rotateSecret" | "test" | "redeliver")

/** Every method that reads, unless no method changes what it reads. */
const methods: Readonly<
  Record<
    Exclude<OperationName, `${"consumers" | "server"}.${string}` | `${string}.${Verb}`>,
    Reading | "reads what never changes"
  >
> = {
  "pets.get": reading(
    ({ pets }, id) => pets.get(id),
    ({ pets }, id) => pets.update(id, { name: "Tom" }),
    pet
  ),
  "pets.getWithInventory": reading(({ pets }, id) => pets.getWithInventory(id), receive, pet),
  "pets.list": reading(({ pets }, categoryId) => pets.list({ categoryId }), addPet, category),
  "categories.get": reading(
    ({ categories }, id) => categories.get(id),
    ({ categories }, id) => categories.update(id, { description: "Ours" }),
    category
  ),
  "categories.list": reading(({ categories }) => categories.list({ limit: 100 }), category),
  "inventory.get": reading(({ inventory }, id) => inventory.get(id), receive, pet),
  "inventory.list": reading(({ inventory }) => inventory.list({ limit: 100 }), addPet, category),
  "inventory.movements": reading(({ inventory }, id) => inventory.movements(id), receive, pet),
  "orders.get": reading(({ orders }, id) => orders.get(id), amendOrder, draft),
  "orders.list": reading(({ orders }) => orders.list({ limit: 100 }), draft),
  "orders.reservation": reading(
    ({ orders }, id) => orders.reservation(id),
    ({ orders }, id) => orders.setReservation(id, { reserveFor: "1 day" }),
    async (petstore) => (await petstore.orders.place({ petId: await pet(petstore) }, { reserveFor: "1 hour" })).id
  ),
  "records.get": reading(
    ({ records }, id) => records.get("orders", id),
    ({ records }, id) => records.update("orders", id, { metadata: { shelf: "A" } }),
    draft
  ),
  "records.getByExternalId": reading(
    ({ records }, id) => records.getByExternalId("orders", externalId(id)).catch(codeOf),
    ({ records }, id) => records.update("orders", id, { externalId: externalId(id) }),
    draft
  ),
  "messages.get": "reads what never changes",
  "messages.list": reading(({ messages }) => messages.list({ limit: 100 }), thank),
  "accounts.get": "reads what never changes",
  "accounts.list": reading(({ accounts }) => accounts.list({ limit: 100 }), account),
  "apiKeys.get": reading(
    ({ apiKeys }, id) => apiKeys.get(id).catch(codeOf),
    ({ apiKeys }, id) => apiKeys.revoke(id),
    newKey
  ),
  "apiKeys.list": reading(({ apiKeys }) => apiKeys.list({ limit: 100 }), newKey),
  "webhooks.get": reading(
    ({ webhooks }, id) => webhooks.get(id),
    ({ webhooks }, id) => webhooks.update(id, { enabled: false }),
    endpoint
  ),
  "webhooks.list": reading(({ webhooks }) => webhooks.list({ limit: 100 }), endpoint),
  "webhooks.deliveries": reading(
    ({ webhooks }, id) => webhooks.deliveries(id),
    ({ webhooks }, id) => webhooks.redeliver(id, { after: 0 }),
    async (petstore) => {
      await draft(petstore)
      return endpoint(petstore)
    }
  ),
  "deliveries.get": "reads what never changes",
  "deliveries.list": "reads what never changes",
  "events.list": reading(({ events }) => events.list({ limit: 100 }), draft),
  "events.latest": reading(({ events }) => events.latest(), draft),
  // A transaction cannot follow the log.
  "events.stream": "reads what never changes"
}

/** Other readings of the same methods. */
const variants: Readonly<Record<string, Reading>> = {
  "the total of pets.list": reading(
    async ({ pets }, categoryId) => (await pets.list({ categoryId, limit: 1, count: true })).total,
    addPet,
    category
  ),
  "the total of orders.list": reading(
    async ({ orders }) => (await orders.list({ limit: 1, count: true })).total,
    draft
  ),
  "orders.list of a user": reading(
    (tx) => asAda(tx).orders.list(),
    (tx) => draft(asAda(tx))
  ),
  "events.list of a user": reading(
    (tx) => asAda(tx).events.list(),
    (tx) => draft(asAda(tx))
  ),
  "events.list of a type": reading(({ events }) => events.list({ types: ["pet.created"] }), addPet, category),
  "messages.list of a status": reading(({ messages }) => messages.list({ status: "queued" }), thank),
  "several lists": reading(async ({ accounts, messages }) => [await accounts.list(), await messages.list()], thank)
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
