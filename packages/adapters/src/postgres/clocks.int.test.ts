import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import { ApiKeys, Trimming } from "@petstore/core/services"
import * as Effect from "effect/Effect"
import { testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const systemTime = Date.now
const [minute, day] = [60_000, 86_400_000]

/** Runs something on a machine whose clock is eight days ahead. */
const onWrong = async <A>(body: () => Promise<A>): Promise<A> => {
  const clock = vi.spyOn(Date, "now").mockImplementation(() => systemTime() + 8 * day)
  try {
    return await body()
  } finally {
    clock.mockRestore()
  }
}

const logged: Array<string> = []

beforeEach(() => {
  logged.length = 0
  vi.spyOn(console, "log").mockImplementation((...values) => void logged.push(values.join(" ")))
})
afterEach(() => void vi.restoreAllMocks())

/** Opens two servers on one database; the clock is wrong while the second one opens. */
const withServers = (
  body: (right: Petstore, wrong: Petstore) => Promise<void>,
  options: Omit<PetstoreOptions, "storage"> = {}
) =>
  Effect.flatMap(testDatabase, (url) =>
    Effect.promise(async () => {
      await using right = await createPetstore({ ...options, storage: postgres(url) })
      await using wrong = await onWrong(() => createPetstore({ ...options, storage: postgres(url) }))
      await body(right, wrong)
    })
  )

const aPetOf = async (petstore: Petstore, units: number): Promise<number> => {
  const { id: categoryId } = await petstore.categories.create({ name: "Dogs" })
  const { id } = await petstore.pets.create({ name: "Rex", categoryId })
  await petstore.inventory.set(id, units)
  return id
}

describe("given two servers on one database, of which one has a clock eight days ahead", () => {
  it.live("when calls with idempotency keys are retried on the other one, then each has one effect", () =>
    withServers(async (right, wrong) => {
      const petId = await aPetOf(right, 100)
      for (let call = 0; call < 10; call++) {
        const key = (name: string) => ({ idempotencyKey: `${name}-${call}` })
        const first = await right.orders.place({ petId }, key("right"))
        assert.strictEqual((await onWrong(() => wrong.orders.place({ petId }, key("right")))).id, first.id)
        const second = await onWrong(() => wrong.orders.place({ petId }, key("wrong")))
        assert.strictEqual((await right.orders.place({ petId }, key("wrong"))).id, second.id)
      }
      assert.strictEqual((await right.inventory.get(petId)).reserved, 20)
    })
  )

  it.live("when events are kept for seven days, then none is removed early", () =>
    withServers(
      async (right, wrong) => {
        await aPetOf(right, 1)
        const trim = () => runtimeOf(wrong).runPromise(Effect.flatMap(Trimming, (trimming) => trimming.trim))
        assert.strictEqual((await onWrong(trim)).removed, 0)
        assert.strictEqual((await right.retention()).earliest, 1)
      },
      { retention: { events: { for: "7 days" } } }
    )
  )

  it.live("when a key expires in seven days, then both accept it", () =>
    withServers(async (right, wrong) => {
      const { id: accountId } = await right.accounts.create({ name: "Shop" })
      const expiresAt = new Date(systemTime() + 7 * day).toISOString()
      const { key } = await right.apiKeys.create({ accountId, name: "till", preset: "admin", expiresAt })
      const authenticate = () => runtimeOf(wrong).runPromise(Effect.flatMap(ApiKeys, (keys) => keys.authenticate(key)))
      assert.strictEqual((await onWrong(authenticate)).accountId, accountId)
    })
  )

  it.live("when orders hold their units for a time, then the clock of the database counts", () =>
    withServers(async (right, wrong) => {
      const petId = await aPetOf(right, 1)
      await onWrong(async () => {
        const { id } = await wrong.orders.place({ petId }, { reserveFor: "30 minutes" })
        const left = Date.parse((await wrong.orders.reservation(id)).expiresAt) - systemTime()
        assert.isAbove(left, 20 * minute)
        assert.isAtMost(left, 30 * minute)
        assert.deepStrictEqual((await wrong.stats()).reservations, { overdue: 0, oldestOverdue: 0, tooLong: 0 })
        await wrong.orders.place({ petId }).then(
          () => assert.fail("the unit is free"),
          (error: unknown) => assert.include(String(error), "0 free")
        )
      })
    })
  )

  it.live("when one works on a message, then the other one does not take its lease over", () => {
    const [taken, released, second] = [
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>(),
      Promise.withResolvers<void>()
    ]
    const handled: Array<string> = []
    return Effect.flatMap(testDatabase, (url) =>
      Effect.promise(async () => {
        await using right = await createPetstore({
          storage: postgres(url),
          messages: { concurrency: 1 },
          onMessage: ({ message }) => {
            handled.push(`right: ${message}`)
            taken.resolve()
            return released.promise
          }
        })
        await right.messages.enqueue("first")
        await taken.promise
        await onWrong(async () => {
          const onMessage = ({ message }: { readonly message: string }) => {
            handled.push(`wrong: ${message}`)
            second.resolve()
          }
          await using _ = await createPetstore({ storage: postgres(url), onMessage })
          await right.messages.enqueue("second")
          await second.promise
        })
        released.resolve()
        assert.deepStrictEqual(handled, ["right: first", "wrong: second"])
      })
    )
  })

  it.live("then that one logs it and is not ready, until its clock is right again", () =>
    withServers(async (right, wrong) => {
      const ready = (petstore: Petstore) =>
        runtimeOf(petstore).runPromise(
          Effect.flatMap(Storage, (storage) =>
            Effect.match(storage.ready, { onFailure: ({ message }) => message, onSuccess: () => "ready" })
          )
        )
      assert.strictEqual(await ready(right), "ready")
      const message = /The clock of this machine is 691\d{3} seconds ahead of the clock of the database/u
      assert.match(await onWrong(() => ready(wrong)), message)
      assert.strictEqual(await ready(wrong), "ready")
      assert.strictEqual(logged.filter((entry) => message.test(entry)).length, 1)
    })
  )
})
