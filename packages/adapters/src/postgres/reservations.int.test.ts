import { afterEach, assert, describe, it, vi } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const systemTime = Date.now
const minute = 60_000

afterEach(() => void vi.restoreAllMocks())

describe("given a server whose clock is an hour ahead of that of the database", () => {
  it.live("when orders hold their units for a time, then the clock of the database counts", () =>
    Effect.gen(function* () {
      const url = yield* testDatabase
      vi.spyOn(Date, "now").mockImplementation(() => systemTime() + 60 * minute)
      yield* Effect.promise(async () => {
        await using ahead = await createPetstore({ storage: postgres(url) })
        const { id: categoryId } = await ahead.categories.create({ name: "Dogs" })
        const { id: petId } = await ahead.pets.create({ name: "Rex", categoryId })
        const { id } = await ahead.orders.place({ petId }, { reserveFor: "30 minutes" })
        const left = Date.parse((await ahead.orders.reservation(id)).expiresAt) - systemTime()
        assert.isAbove(left, 20 * minute)
        assert.isAtMost(left, 30 * minute)
        assert.deepStrictEqual((await ahead.stats()).reservations, { overdue: 0, oldestOverdue: 0 })

        vi.restoreAllMocks()
        await using right = await createPetstore({ storage: postgres(url) })
        await right.orders.setReservation(id, { reserveFor: "10 minutes" })
        vi.spyOn(Date, "now").mockImplementation(() => systemTime() + 60 * minute)
        await ahead.orders.place({ petId }).then(
          () => assert.fail("the unit is free"),
          (error: unknown) => assert.include(String(error), "0 free")
        )
      })
    })
  )
})
