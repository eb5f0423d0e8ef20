import { DatabaseSync } from "node:sqlite"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

describe("given a transaction that has created an order in a file", () => {
  it.effect("when somebody else creates one before its end, then both have ids of their own", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.promise(async () => {
        await using petstore = await createPetstore({ storage: sqlite(file) })
        const created = Promise.withResolvers<void>()
        const other = created.promise.then(() => petstore.orders.place({}))
        const [first, second] = await petstore.transaction(async (tx) => {
          const order = await tx.orders.place({})
          created.resolve()
          return [order, await other]
        })
        const ids = (await petstore.orders.list()).items.map(({ id }) => id)
        assert.sameMembers(ids, [first?.id, second?.id])
        assert.lengthOf(ids, 2)
        assert.isTrue((await petstore.verify()).ok)
      })
    })
  )
})

describe("given another process that holds the lock of the file", () => {
  it.effect("when the body of a transaction creates orders, then it waits for the lock at its end only", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* Effect.promise(async () => {
        await using petstore = await createPetstore({ storage: sqlite({ file, lockTimeout: "10 millis" }) })
        using other = new DatabaseSync(file)
        other.exec("BEGIN IMMEDIATE")
        const ids = await petstore.transaction(async (tx) => {
          const created = [await tx.orders.place({}), await tx.orders.place({})]
          other.exec("ROLLBACK")
          return created.map(({ id }) => id)
        })
        assert.deepStrictEqual(ids, [1, 2])
      })
    })
  )
})
