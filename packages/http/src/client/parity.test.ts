import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type PetstoreApi, PetstoreError } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { createClient } from "@petstore/http/client"
import { arbitraries, corrupted, junk } from "@petstore/testing"
import type { Arbitrary } from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"

const key = Redacted.make("admin-key-for-the-parity-of-both")

/** Two petstores with the same in them: category 1, pet 1, draft order 1, account 1 and API key 1. */
const bothPetstores = async (): Promise<readonly [inProcess: PetstoreApi, remote: PetstoreApi]> => {
  const handler = createHandler(await createPetstore(), { adminKey: key, rateLimit: "off" })
  const remote = createClient({
    baseUrl: "http://pets.example/v1",
    key,
    fetch: (url, init) => handler.fetch(new Request(url, init))
  })
  const inProcess = await createPetstore()
  for (const petstore of [inProcess, remote]) {
    const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
    await petstore.pets.create({ name: "Rex", categoryId })
    await petstore.orders.place({})
    const { id: accountId } = await petstore.accounts.create({ name: "Shop" })
    await petstore.apiKeys.create({ accountId, name: "Till", preset: "admin" })
  }
  return [inProcess, remote]
}

type Call = (petstore: PetstoreApi, input: never) => Promise<unknown>

const untyped = (value: unknown): never => value as never

/** "done", or all fields of the error. */
const outcome = async (call: Promise<unknown>): Promise<unknown> => {
  try {
    await call
    return "done"
  } catch (error) {
    if (!(error instanceof PetstoreError)) throw error
    // JSON has null where a list has a hole.
    return JSON.parse(
      JSON.stringify({ name: error.name, ...error.toJSON() }).replaceAll(", not undefined", ", not null")
    )
  }
}

const bodies: Readonly<Record<string, readonly [Arbitrary<object>, Call]>> = {
  "pets.create": [arbitraries.newPet, ({ pets }, input) => pets.create(input)],
  "pets.update": [arbitraries.petUpdate, ({ pets }, input) => pets.update(1, input)],
  "categories.create": [arbitraries.newCategory, ({ categories }, input) => categories.create(input)],
  "categories.update": [arbitraries.categoryUpdate, ({ categories }, input) => categories.update(1, input)],
  "orders.place": [arbitraries.newOrder, ({ orders }, input) => orders.place(input)],
  "orders.update": [arbitraries.orderUpdate, ({ orders }, input) => orders.update(1, input)],
  "accounts.create": [arbitraries.newAccount, ({ accounts }, input) => accounts.create(input)],
  "apiKeys.create": [arbitraries.newApiKey, ({ apiKeys }, input) => apiKeys.create(input)],
  "apiKeys.rotate": [arbitraries.apiKeyRotation, ({ apiKeys }, input) => apiKeys.rotate(1, input)]
}

const queries: Readonly<Record<string, readonly [Arbitrary<object>, Call]>> = {
  "pets.list": [arbitraries.petFilter, ({ pets }, filter) => pets.list(filter)],
  "categories.list": [arbitraries.pageQuery, ({ categories }, query) => categories.list(query)],
  "inventory.list": [arbitraries.inventoryFilter, ({ inventory }, filter) => inventory.list(filter)],
  "inventory.movements": [arbitraries.pageQuery, ({ inventory }, query) => inventory.movements(1, query)],
  "orders.list": [arbitraries.orderFilter, ({ orders }, filter) => orders.list(filter)],
  "messages.list": [arbitraries.pageQuery, ({ messages }, query) => messages.list(query)],
  "accounts.list": [arbitraries.pageQuery, ({ accounts }, query) => accounts.list(query)],
  "apiKeys.list": [arbitraries.pageQuery, ({ apiKeys }, query) => apiKeys.list(query)]
}

/** Calls that take a single value. */
const values: Readonly<Record<string, Call>> = {
  "pets.get": ({ pets }, id) => pets.get(id),
  "pets.getWithInventory": ({ pets }, id) => pets.getWithInventory(id),
  "pets.update with an id": ({ pets }, id) => pets.update(id, { name: id }),
  "pets.delete": ({ pets }, id) => pets.delete(id),
  "categories.get": ({ categories }, id) => categories.get(id),
  "inventory.get": ({ inventory }, id) => inventory.get(id),
  "inventory.set with an id": ({ inventory }, id) => inventory.set(id, id),
  "orders.update with an id": ({ orders }, id) => orders.update(id, { petId: id, quantity: id }),
  "orders.cancel": ({ orders }, id) => orders.cancel(id),
  "messages.enqueue": ({ messages }, text) => messages.enqueue(text),
  "messages.get": ({ messages }, id) => messages.get(id),
  "accounts.get": ({ accounts }, id) => accounts.get(id),
  "apiKeys.rotate with an id": ({ apiKeys }, id) => apiKeys.rotate(id, { graceSeconds: id })
}

const runs = { arbitrary: { runs: 100, size: 100 } }

describe("given any input, however broken", () => {
  const both = bothPetstores()
  const refused = new Set<string>()

  const sameOutcome = (name: string, input: Arbitrary<unknown>, call: Call) =>
    it.effect.prop(
      `when ${name} receives it, then both petstores return the same, to the last violation`,
      { inputs: input },
      ({ inputs }) =>
        Effect.promise(async () => {
          const [inProcess, remote] = await both
          const expected = await outcome(call(inProcess, inputs as never))
          assert.deepStrictEqual(await outcome(call(remote, inputs as never)), expected)
          if (expected !== "done") refused.add(name)
        }),
      runs
    )

  for (const [name, [valid, call]] of Object.entries({ ...bodies, ...queries }))
    sameOutcome(name, corrupted(valid), call)
  for (const [name, call] of Object.entries(values)) sameOutcome(name, junk, call)

  class Named {
    name = "Rex"
    categoryId = 1
  }

  /** Values that JSON would make valid, or something else. */
  const unfaithful: ReadonlyArray<readonly [what: string, call: (petstore: PetstoreApi) => Promise<unknown>]> = [
    ["a Date", ({ orders }) => orders.place({ shipDate: untyped(new Date(0)) })],
    ["a String", ({ pets }) => pets.create({ name: untyped(new String("Rex")), categoryId: 1 })],
    ["a Number", ({ inventory }) => inventory.set(1, untyped(new Number(5)))],
    ["an input that is a String", ({ pets }) => pets.create(untyped(new String("Rex")))],
    ["an input that is a Map", ({ orders }) => orders.place(untyped(new Map([["petId", 1]])))],
    ["an instance of a class", ({ pets }) => pets.create(new Named())],
    ["a field with its own JSON", ({ pets }) => pets.create({ name: untyped({ toJSON: () => "Rex" }), categoryId: 1 })],
    ["NaN where null clears", ({ categories }) => categories.update(1, { description: untyped(Number.NaN) })],
    ["a bigint", ({ orders }) => orders.place({ petId: untyped(1n) })],
    ["a function", ({ categories }) => categories.update(1, { description: untyped(() => "They bark") })],
    ["a symbol", ({ messages }) => messages.enqueue(untyped(Symbol("Hello")))],
    [
      "a hole in a list",
      ({ apiKeys }) => apiKeys.create({ accountId: 1, name: "Till", scopes: untyped(new Array(1)) })
    ],
    ["a broken key with a broken input", ({ messages }) => messages.enqueue("", { idempotencyKey: " " })],
    ["a broken key", ({ messages }) => messages.enqueue("Hello", { idempotencyKey: "a b" })],
    ["no options", ({ orders }) => orders.place({}, untyped(null))]
  ]
  for (const [what, call] of unfaithful) {
    it(`when ${what} is given, then both petstores return the same`, async () => {
      const [inProcess, remote] = await both
      assert.deepStrictEqual(await outcome(call(remote)), await outcome(call(inProcess)))
    })
  }

  it("then each of them rejected some", () => {
    assert.sameMembers([...refused], Object.keys({ ...bodies, ...queries, ...values }))
  })
})
