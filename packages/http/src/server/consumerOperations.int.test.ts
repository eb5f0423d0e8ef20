import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { createHandler } from "@petstore/http"
import { createClient, HttpPetstore } from "@petstore/http/client"
import * as Effect from "effect/Effect"

const adminKey = "an-admin-key-for-this-test"

/** A petstore whose consumer `invoices` fails with every event until it is told to succeed, and clients of its server. */
const shop = async () => {
  const petstore = await createPetstore()
  let isBroken = true
  const handled: Array<number> = []
  await petstore.events.consume(
    "invoices",
    ({ seq }) => {
      if (isBroken) throw new Error("The invoice service is down")
      handled.push(seq)
    },
    { parkAfter: 1, onError: () => {} }
  )
  const handler = createHandler(petstore, { adminKey })
  const options = {
    baseUrl: "http://pets.example/v1",
    key: adminKey,
    fetch: (url: string, init?: RequestInit) => handler.fetch(new Request(url, init))
  }
  const parkedSeqs = async (): Promise<ReadonlyArray<number>> =>
    (await petstore.events.consumers.parked("invoices")).items.map(({ seq }) => seq)
  const until = async (holds: () => Promise<boolean>): Promise<void> => {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return {
    petstore,
    options,
    handled,
    parkedSeqs,
    until,
    mend: () => {
      isBroken = false
    },
    close: async () => {
      await handler.close()
      await petstore.close()
    }
  }
}

describe("consumers over REST", () => {
  it("given parked events, then a client lists them, replays one, which is handled, and discards another", async () => {
    const { close, handled, mend, options, parkedSeqs, petstore, until } = await shop()
    for (const name of ["Cats", "Dogs"]) await petstore.categories.create({ name })
    await until(async () => (await parkedSeqs()).length === 2)
    const { consumers } = createClient(options).events
    const inProcess = await petstore.events.consumers.get("invoices")
    const { lease: _, ...consumer } = await consumers.get("invoices")
    assert.deepInclude(inProcess, consumer)
    assert.deepStrictEqual(
      (await consumers.list()).items.map(({ name }) => name),
      ["invoices"]
    )
    const parked = await consumers.parked("invoices", { limit: 1 })
    assert.deepInclude(parked.items[0], { seq: 1, attempts: 1, replaying: false })
    assert.match(parked.items[0]?.error ?? "", /The invoice service is down/)
    assert.deepStrictEqual(
      (await consumers.parked("invoices", { cursor: parked.next ?? "" })).items.map(({ seq }) => seq),
      [2]
    )
    mend()
    await consumers.replay("invoices", 1)
    await until(async () => !(await parkedSeqs()).includes(1))
    assert.deepStrictEqual(handled, [1])
    await consumers.discard("invoices", 2)
    assert.deepStrictEqual(await parkedSeqs(), [])
    assert.deepStrictEqual(handled, [1])
    await close()
  })

  it("given no such consumer or event, then clients of both kinds fail with not_found", async () => {
    const { close, options } = await shop()
    const { consumers } = createClient(options).events
    const codes = await Promise.all(
      [
        consumers.get("nobody"),
        consumers.parked("nobody"),
        consumers.replay("invoices", 7),
        consumers.discard("invoices", 7)
      ].map((call) => call.then(undefined, ({ code }: { code: string }) => code))
    )
    assert.deepStrictEqual(codes, ["not_found", "not_found", "not_found", "not_found"])
    const failed = await HttpPetstore.pipe(
      Effect.flatMap(({ events }) => events.consumers.get("nobody")),
      Effect.flip,
      Effect.provide(HttpPetstore.layer(options)),
      Effect.runPromise
    )
    assert.strictEqual(failed._tag, "NotFound")
    await close()
  })
})
