import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type Petstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { petToSell } from "../../../../test/support/postgres/openPostgres.ts"
import { testDatabase } from "../../../../test/support/postgres.ts"
import { postgres } from "../../postgres.ts"

const limited = (body: (petstore: Petstore) => Promise<void>) =>
  Effect.flatMap(testDatabase, (url) =>
    Effect.promise(async () => {
      await using petstore = await createPetstore({ storage: postgres(url), orderLimits: { openOrders: 3, drafts: 2 } })
      await body(petstore)
      assert.isTrue((await petstore.verify()).ok)
    })
  )

/** "done", or the code of the error. */
const endOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "done",
    (error: unknown) => (error instanceof Error && "code" in error ? error.code : error)
  )

const atOnce = <A>(count: number, call: (n: number) => Promise<A>) =>
  Promise.all(Array.from({ length: count }, (_, n) => call(n)))

describe("given a limit of what one owner holds", () => {
  it.live("when many owners order at once, then their orders share commits", () =>
    limited(async (petstore) => {
      const petIds = await atOnce(8, () => petToSell(petstore))
      const before = (await petstore.stats()).commits.count
      await atOnce(64, (n) => petstore.as({ user: `user ${n}` }).orders.place({ petId: petIds[n % 8] ?? 0 }))
      assert.isBelow((await petstore.stats()).commits.count - before, 32)
    })
  )

  it.live(
    "when one owner orders, completes and drafts at once, then each call sees what those before it have left",
    () =>
      limited(async (petstore) => {
        const petIds = await atOnce(8, () => petToSell(petstore))
        const { orders } = petstore.as({ user: "ada" })
        const codes = await atOnce(24, (n) => endOf(orders.place(n % 3 === 0 ? {} : { petId: petIds[n % 8] ?? 0 })))
        assert.strictEqual(codes.filter((code) => code === "order_limit_exceeded").length, 24 - 3 - 2)
        const open = (await orders.list({ state: "open" })).items
        assert.lengthOf(open, 3)
        await atOnce(12, async (n) => {
          const { id = 0 } = open[n] ?? {}
          if (id > 0) await orders.complete(id)
          else await endOf(orders.place({ petId: petIds[n % 8] ?? 0 }))
        })
        assert.isAtMost((await orders.list({ state: "open" })).items.length, 3)
      })
  )
})
