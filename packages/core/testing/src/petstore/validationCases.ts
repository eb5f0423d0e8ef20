import type { PetstoreApi } from "@petstore/core"
import { limits, ValidationFailed } from "@petstore/core/domain"
import { assertEqual, assertTrue } from "../check.ts"
import { untyped } from "../untyped.ts"
import { petstoreCases } from "./cases.ts"
import { category, petOf, unknown } from "./given.ts"
import { rejectsInput, rejectsWith } from "./rejections.ts"

const notObjects: ReadonlyArray<unknown> = [
  ...[undefined, null, true, 7, Number.NaN, "Rex", [], [{ name: "Rex" }]],
  ...[Promise.resolve({ name: "Rex" }), new Map([["name", "Rex"]]), new Date(0)]
]

const notIds: ReadonlyArray<unknown> = [
  ...[undefined, null, true, "1", "", "1/../2", [1], {}],
  ...[0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]
]

const notText: ReadonlyArray<unknown> = [null, true, 7, ["Rex"], { name: "Rex" }]

const unprintable = ["a\u0000b", "a\nb", "a\tb", "a\rb", "\u001b[2J", "a\u007f", "a\u0085b"]

/** Checks that each value is rejected at that place. */
const allInvalid = async (
  place: string,
  values: ReadonlyArray<unknown>,
  call: (value: never) => Promise<unknown>
): Promise<void> => {
  for (const value of values) await rejectsInput(call(untyped(value)), place)
}

type ById = (id: never) => Promise<unknown>

/** Every method that names something by a number, by the place of the number. */
const byId = (petstore: PetstoreApi): Readonly<Record<string, ReadonlyArray<ById>>> => {
  const { accounts, apiKeys, categories, inventory, orders, pets, webhooks } = petstore
  return {
    "/petId": [
      ...[pets.get, pets.getWithInventory, (id: number) => pets.update(id, { name: "Rex" }), pets.delete],
      ...[inventory.get, (id: number) => inventory.set(id, 1), inventory.movements],
      (id: number) => inventory.adjust(id, { delta: 1, reason: "received" })
    ],
    "/categoryId": [categories.get, (id: number) => categories.update(id, { name: "Dogs" }), categories.delete],
    "/orderId": [
      ...[orders.get, (id: number) => orders.update(id, { quantity: 1 }), orders.complete, orders.cancel],
      ...[orders.reservation, orders.removeReservation],
      (id: number) => orders.setReservation(id, { reserveFor: "1 day" })
    ],
    "/accountId": [accounts.get],
    "/keyId": [apiKeys.get, apiKeys.rotate, apiKeys.revoke],
    "/webhookId": [
      ...[webhooks.get, (id: number) => webhooks.update(id, { enabled: false }), webhooks.delete],
      ...[webhooks.rotateSecret, webhooks.test, webhooks.deliveries],
      (id: number) => webhooks.redeliver(id, { after: 0 })
    ]
  }
}

const realDates = [
  "2024-02-29T23:59:59Z",
  "2030-01-01t00:00:00z",
  "0001-01-01T00:00:00Z",
  "9999-12-31T23:59:59.999Z",
  "2030-01-01T00:00:00.123456789-12:34"
]

const notDates: ReadonlyArray<unknown> = [
  ...[true, 1_893_456_000, ["2030-01-01T00:00:00Z"], "", "tomorrow", "2030-01-01", "2030-01-01T00:00:00"],
  ...["2030-01-01 00:00:00Z", "2030-02-30T00:00:00Z", "2025-02-29T00:00:00Z", "2030-13-01T00:00:00Z"],
  ...["2030-01-01T24:00:00Z", "2030-01-01T00:60:00Z", "2030-01-01T00:00:60Z", "2030-01-01T00:00:00+24:00"],
  ...["0000-12-31T00:00:00Z", "10000-01-01T00:00:00Z", "0001-01-01T00:00:00+01:00", "2030-01-01T00:00:00.Z"]
]

export const validationCases = petstoreCases("validation", {
  "an input that is not an object is rejected": async (petstore) => {
    const { accounts, apiKeys, categories, orders, pets } = petstore
    const petId = await petOf(petstore, 1)
    const { categoryId } = await pets.get(petId)
    const { id: orderId } = await orders.place({})
    const calls: ReadonlyArray<(input: never) => Promise<unknown>> = [
      ...[pets.create, categories.create, orders.place, accounts.create, apiKeys.create],
      (update) => pets.update(petId, update),
      (update) => categories.update(categoryId, update),
      (update) => orders.update(orderId, update)
    ]
    for (const call of calls) await allInvalid("/body", notObjects, call)
  },
  "an id that is not a positive integer below 2^53 is rejected, and an unknown one not found": async (petstore) => {
    for (const [place, calls] of Object.entries(byId(petstore))) {
      for (const call of calls) {
        await allInvalid(place, notIds, call)
        await rejectsWith("not_found", call(untyped(unknown)))
      }
    }
  },
  "an invalid message id is rejected": async (petstore) => {
    const values = [undefined, null, 7, "", "msg_", "msg_A", "1", "msg_1/../2", `msg_${"0".repeat(61)}`]
    await allInvalid("/messageId", values, (id) => petstore.messages.get(id))
  },
  "all violations of an id and of an input are reported together": async (petstore) => {
    await rejectsInput(
      petstore.pets.create(untyped({ name: 7, categoryId: "1", status: "gone", colour: "red" })),
      ...["/body/name", "/body/categoryId", "/body/status", "/body/colour"]
    )
    await rejectsInput(petstore.pets.create(untyped({})), "/body/name", "/body/categoryId")
    const renaming = petstore.pets.update(0, untyped({ name: "", colour: "red" }))
    await rejectsInput(renaming, "/petId", "/body/name", "/body/colour")
    await rejectsInput(petstore.orders.update(-1, untyped({ quantity: 0 })), "/orderId", "/body/quantity")
    await rejectsInput(petstore.inventory.set(0, -1), "/petId", "/body/quantity")
    await rejectsInput(petstore.inventory.movements(0, { limit: 0 }), "/petId", "/query/limit")
    await rejectsInput(petstore.apiKeys.rotate(0, { graceSeconds: -1 }), "/keyId", "/body/graceSeconds")
  },
  "a validation error says where and why, in process and as JSON": async (petstore) => {
    const error = await petstore.orders.place({ quantity: 0 }).then(
      () => undefined,
      (reason: unknown) => reason
    )
    if (!(error instanceof ValidationFailed)) throw error
    const violations = [{ path: "/body/quantity", message: "Expected a whole number from 1 to 1000000, not 0" }]
    assertEqual(error.violations, violations)
    const message = "The input is invalid. /body/quantity: Expected a whole number from 1 to 1000000, not 0"
    assertEqual(JSON.parse(JSON.stringify(error)), { code: "validation_failed", message, status: 400, violations })
  },
  "an unknown field is rejected, whatever its name": async (petstore) => {
    const categoryId = await category(petstore)
    const fields = ["colour", "Name", "constructor", "__proto__", "a/b~c", ""]
    for (const field of fields) {
      const input: unknown = JSON.parse(`{"name": "Rex", "categoryId": ${categoryId}, ${JSON.stringify(field)}: 1}`)
      const place = `/body/${field.replaceAll("~", "~0").replaceAll("/", "~1")}`
      await rejectsInput(petstore.pets.create(untyped(input)), place)
    }
    assertEqual((await petstore.pets.list()).items, [])
  },
  "a new pet or category takes no id; in an update or order it must be valid, though it is ignored": async (
    petstore
  ) => {
    const petId = await petOf(petstore, 1)
    const { categoryId } = await petstore.pets.get(petId)
    await rejectsInput(petstore.pets.create(untyped({ id: 1, name: "Rex", categoryId })), "/body/id")
    await rejectsInput(petstore.categories.create(untyped({ id: 1, name: "Dogs" })), "/body/id")
    await allInvalid("/body/id", [null, 0, "1", 2 ** 53], (id) => petstore.pets.update(petId, { id }))
    await allInvalid("/body/id", [null, 0, "1", 2 ** 53], (id) => petstore.orders.place({ id }))
  },
  "an undefined field counts as absent": async (petstore) => {
    const categoryId = await category(petstore)
    const pet = await petstore.pets.create(untyped({ name: "Rex", categoryId, status: undefined }))
    assertEqual(pet.status, "available")
    assertEqual(await petstore.pets.update(pet.id, untyped({ name: undefined, status: undefined })), pet)
    const order = await petstore.orders.place(untyped({ petId: undefined, quantity: undefined }))
    assertEqual(order, { id: order.id, complete: false, version: 1 })
    assertEqual((await petstore.pets.list(untyped({ status: undefined, limit: undefined }))).items.length, 1)
    await rejectsInput(petstore.pets.create(untyped({ name: undefined, categoryId })), "/body/name")
  },
  "the input is not modified": async (petstore) => {
    const input = Object.freeze({ name: "  Rex ", categoryId: await category(petstore), status: "sold" as const })
    assertEqual((await petstore.pets.create(input)).name, "Rex")
    assertEqual(input.name, "  Rex ")
  },
  "null removes only optional fields": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const { id: orderId } = await petstore.orders.place({ petId })
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    const update = (input: object) => petstore.orders.update(orderId, untyped(input))
    await rejectsInput(
      update({ petId: null, quantity: null, complete: null }),
      "/body/petId",
      "/body/quantity",
      "/body/complete"
    )
    await rejectsInput(petstore.categories.update(categoryId, untyped({ name: null })), "/body/name")
    await rejectsInput(petstore.categories.create(untyped({ name: "Cats", description: null })), "/body/description")
    await rejectsInput(petstore.orders.place(untyped({ shipDate: null })), "/body/shipDate")
    await rejectsInput(
      petstore.pets.update(petId, untyped({ name: null, categoryId: null, status: null })),
      ...["/body/name", "/body/categoryId", "/body/status"]
    )
  },
  "a name has 1 to its maximum of characters, not all of them blank, and none of control": async (petstore) => {
    const categoryId = await category(petstore)
    const lengths = { pet: limits.petName, category: limits.categoryName, account: limits.accountName }
    const create = {
      pet: (name: string) => petstore.pets.create({ name, categoryId }),
      category: (name: string) => petstore.categories.create({ name }),
      account: (name: string) => petstore.accounts.create({ name })
    }
    for (const kind of ["pet", "category", "account"] as const) {
      assertEqual((await create[kind]("x".repeat(lengths[kind]))).name.length, lengths[kind])
      const broken = ["", " ", "\u00a0\u2003\u3000\ufeff", "x".repeat(lengths[kind] + 1), ...notText, ...unprintable]
      await allInvalid("/body/name", broken, create[kind])
    }
  },
  "a description has up to 1000 characters, tabs and line breaks among them": async (petstore) => {
    const description = `a\tb\r\n${"x".repeat(limits.description - 5)}`
    assertEqual((await petstore.categories.create({ name: "Dogs", description })).description, description)
    const broken = ["x".repeat(limits.description + 1), "a\u0000b", "\u001b[2J", true, 7, {}]
    await allInvalid("/body/description", broken, (text) =>
      petstore.categories.create({ name: "Cats", description: text })
    )
  },
  "a message has 1 to 16384 characters, not all of them blank": async (petstore) => {
    const longest = "x".repeat(limits.message)
    assertEqual((await petstore.messages.enqueue(longest)).message, longest)
    const broken = [undefined, "", " \n\t", `${longest}x`, "a\u0000b", "a\u000bb", ...notText]
    await allInvalid("/body/message", broken, (message) => petstore.messages.enqueue(message))
    assertEqual((await petstore.messages.list()).items.length, 1)
  },
  "a status is one of three": async (petstore) => {
    const petId = await petOf(petstore, 1)
    const broken = [null, "", "Available", "gone", 1, true, ["sold"]]
    await allInvalid("/body/status", broken, (status) => petstore.pets.update(petId, { status }))
    await allInvalid("/query/status", broken, (status) => petstore.pets.list({ status }))
    await allInvalid("/query/status", broken, (status) => petstore.inventory.list({ status }))
  },
  "a field or filter of another type, or out of its range, is rejected": async (petstore) => {
    const { accounts, apiKeys, inventory, orders, pets } = petstore
    const petId = await petOf(petstore, 1)
    const { id: orderId } = await orders.place({ quantity: limits.orderQuantity })
    const { id: accountId } = await accounts.create({ name: "Shop" })
    const { id: keyId } = await apiKeys.create({ accountId, name: "Till", preset: "read" })
    await apiKeys.rotate(keyId, { graceSeconds: limits.rotationGrace })
    const ids = Array.from({ length: limits.ids + 1 }, (_, index) => index + 1)
    assertEqual((await pets.list({ id: ids.slice(1), name: "x".repeat(limits.petName) })).items, [])
    const present = notIds.filter((id) => id !== undefined)
    const notNumbers = [-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, "1", "1e3", [1], null]
    const [units, stock] = [
      [...notNumbers.slice(0, -1), 0, limits.orderQuantity + 1, true],
      [...notNumbers, undefined, limits.stock + 1, {}]
    ]
    const notBooleans = [null, "true", 1, []]
    const notNames = [...notText, "", "x".repeat(limits.petName + 1), "\ud800"]
    const calls: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, (value: never) => Promise<unknown>]> = [
      ["/body/categoryId", notIds, (categoryId) => pets.create({ name: "Rex", categoryId })],
      ["/body/petId", present, (id) => orders.place({ petId: id })],
      ["/body/accountId", notIds, (id) => apiKeys.create({ accountId: id, name: "Till", preset: "read" })],
      ["/query/categoryId", present, (categoryId) => pets.list({ categoryId })],
      ["/query/petId", present, (id) => orders.list({ petId: id })],
      ["/query/id", [null, [], ids, 1, "1"], (id) => pets.list({ id })],
      ["/query/id/1", [0, "2"], (id) => pets.list({ id: [1, id, 2] })],
      ["/query/name", notNames, (name) => pets.list({ name })],
      ["/body/quantity", units, (quantity) => orders.place({ quantity })],
      ["/body/quantity", units, (quantity) => orders.update(orderId, { quantity })],
      ["/body/quantity", stock, (quantity) => inventory.set(petId, quantity)],
      ["/body/complete", notBooleans, (complete) => orders.place({ complete })],
      ["/query/complete", notBooleans, (complete) => orders.list({ complete })],
      [
        "/body/graceSeconds",
        [null, -1, 0.5, limits.rotationGrace + 1, "60"],
        (graceSeconds) => apiKeys.rotate(keyId, { graceSeconds })
      ]
    ]
    for (const [place, values, call] of calls) await allInvalid(place, values, call)
    assertEqual((await inventory.get(petId)).quantity, 1)
  },
  "a ship date is a real date and time with an offset, of the years 1 to 9999": async (petstore) => {
    for (const shipDate of realDates) {
      const { shipDate: returned = "" } = await petstore.orders.place({ shipDate })
      assertTrue(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(returned), `${returned} is in UTC with milliseconds`)
    }
    await allInvalid("/body/shipDate", notDates, (shipDate) => petstore.orders.place({ shipDate }))
  },
  "a key has either scopes, each once, or a preset": async (petstore) => {
    const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
    const create = (fields: object) => petstore.apiKeys.create(untyped({ accountId, name: "Till", ...fields }))
    await rejectsInput(create({}), "/body")
    await rejectsInput(create({ scopes: ["pets:read"], preset: "read" }), "/body")
    await rejectsInput(create({ scopes: [] }), "/body/scopes")
    await rejectsInput(create({ scopes: ["pets:read", "pets:read"] }), "/body/scopes")
    await rejectsInput(create({ scopes: ["pets:read", "pets:own"] }), "/body/scopes/1")
    await rejectsInput(create({ scopes: "pets:read" }), "/body/scopes")
    await rejectsInput(create({ preset: "root" }), "/body/preset")
    assertEqual((await petstore.apiKeys.list()).items, [])
  }
})
