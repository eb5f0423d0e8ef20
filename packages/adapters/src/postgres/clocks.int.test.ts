import { afterEach, assert, beforeEach, describe, it, vi } from "@effect/vitest"
import { createPetstore, type Petstore, type PetstoreOptions } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { Storage } from "@petstore/core/ports"
import { ApiKeys, Trimming } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import { testDatabase } from "../../test/support/postgres.ts"
import { postgres } from "./postgres.ts"

const systemTime = Date.now
const [minute, day] = [60_000, 86_400_000]

/** Runs something on a machine whose clock is wrong, by default eight days ahead. */
const onWrong = async <A>(body: () => Promise<A>, ahead = 8 * day): Promise<A> => {
  const clock = vi.spyOn(Date, "now").mockImplementation(() => systemTime() + ahead)
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

const accepting = {
  send: () => Effect.succeed({ delivered: true, status: 204 } as const),
  urlProblem: () => undefined
}

/** Waits until something holds, for a minute at most. */
const until = async (holds: () => Promise<boolean> | boolean): Promise<void> => {
  for (let turn = 0; turn < 6_000 && !(await holds()); turn++) await new Promise((resolve) => setTimeout(resolve, 10))
  assert.isTrue(await holds())
}

for (const [title, ahead] of [
  ["ahead", 30 * day],
  ["behind", -30 * day]
] as const) {
  describe(`given a server whose clock is 30 days ${title}, beside a right one`, () => {
    it.live("when it purges deliveries, then it removes those that are older than they are kept, and no others", () =>
      Effect.flatMap(testDatabase, (url) =>
        Effect.promise(async () => {
          const open = (kept: "7 days" | "1 milli") =>
            createPetstore({
              storage: postgres(url),
              retention: { events: { count: 1 }, deliveries: { for: kept } },
              webhooks: accepting
            })
          await using right = await open("7 days")
          const { id } = await right.webhooks.create({ url: "https://example.com/hook" })
          const delivered = async () => {
            const { items } = await right.webhooks.deliveries(id)
            return items.filter(({ status }) => status === "delivered").length
          }
          for (let n = 0; n < 10; n++) await right.categories.create({ name: `Dogs ${n}` })
          await until(async () => (await delivered()) === 10)
          const trim = () => runtimeOf(right).runPromise(Effect.flatMap(Trimming, (trimming) => trimming.trim))
          await until(async () => (await trim()).removed === 0)
          await onWrong(async () => {
            {
              // It purges when it opens, and needs less time for that.
              await using _ = await open("7 days")
              await new Promise((resolve) => setTimeout(resolve, 1_000))
              assert.strictEqual(await delivered(), 10)
            }
            await using _ = await open("1 milli")
            await until(async () => (await delivered()) === 1)
          }, ahead)
        })
      )
    )

    for (const holder of ["right", "wrong"] as const) {
      it.live(`when the ${holder} one handles the events of a consumer, then the other one waits until it closes`, () =>
        Effect.flatMap(testDatabase, (url) =>
          Effect.promise(async () => {
            const on = <A>(server: "right" | "wrong", body: () => Promise<A>) =>
              server === "right" ? body() : onWrong(body, ahead)
            const handled: Array<string> = []
            const openOn = (server: "right" | "wrong", handle: () => Promise<void> | void) =>
              on(server, async () => {
                const petstore = await createPetstore({ storage: postgres(url) })
                await petstore.events.consume("mail", ({ subject }) => {
                  handled.push(`${server}: ${subject}`)
                  return handle()
                })
                return petstore
              })
            const released = Promise.withResolvers<void>()
            const other = holder === "right" ? "wrong" : "right"
            const first = await openOn(holder, () => released.promise)
            await first.categories.create({ name: "Cats" })
            await until(() => handled.length === 1)
            await using second = await openOn(other, () => {})
            // Its look for work is done when it opens; a lease that it took over would have events at once.
            await on(other, () => new Promise((resolve) => setTimeout(resolve, 1_000)))
            await second.categories.create({ name: "Dogs" })
            assert.deepStrictEqual(handled, [`${holder}: categories/1`])
            released.resolve()
            await until(() => handled.length === 2)
            await first.close()
            await second.categories.create({ name: "Mice" })
            await until(() => handled.length === 3)
            assert.deepStrictEqual(handled, [
              `${holder}: categories/1`,
              `${holder}: categories/2`,
              `${other}: categories/3`
            ])
          })
        )
      )
    }
  })
}
