import { assert, describe, it } from "@effect/vitest"
import { memory, type StorageAdapter } from "@petstore/core"
import { runtimeOf, Storage } from "@petstore/core/effect"
import { ApiKeys, Trimming } from "@petstore/core/runtime"
import { type TestPetstore, type TestPetstoreOptions, testPetstore } from "@petstore/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"

const days = 86_400_000
const ahead = 30 * days

/** The storage as on a machine whose clock is 30 days ahead of that of the database. */
const measured = (storage: StorageAdapter): StorageAdapter => ({
  ...storage,
  layer: Layer.provide(
    Layer.effect(
      Storage,
      Effect.map(Storage, (store) => ({ ...store, clockOffset: () => -ahead }))
    ),
    storage.layer
  )
})

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** What a server does with what is kept for days, or leased to another one. */
const forgets: Readonly<
  Record<
    string,
    {
      readonly options?: TestPetstoreOptions
      readonly before?: (right: TestPetstore) => Promise<string>
      /** Whether it is forgotten or taken. */
      readonly after: (wrong: TestPetstore, found: string, delivered: ReadonlyArray<string>) => Promise<boolean>
    }
  >
> = {
  "an event that is kept for 7 days": {
    options: { retention: { events: { for: "7 days" } } },
    after: async (wrong) => {
      await wrong.categories.create({ name: "Dogs" })
      await runtimeOf(wrong).runPromise(Effect.flatMap(Trimming, ({ trim }) => trim))
      return (await wrong.retention()).trimmed !== undefined
    }
  },
  "an idempotency key": {
    before: async (right) => (await right.messages.enqueue("Hello", { idempotencyKey: "once" })).id,
    after: async (wrong, id) => (await wrong.messages.enqueue("Hello", { idempotencyKey: "once" })).id !== id
  },
  "an API key that expires tomorrow": {
    before: async (right) => {
      const { id: accountId } = await right.accounts.create({ name: "Shop" })
      const expiresAt = new Date(Date.parse(right.clock.now) + days).toISOString()
      return (await right.apiKeys.create({ accountId, name: "Till", preset: "read", expiresAt })).key
    },
    after: (wrong, key) =>
      runtimeOf(wrong)
        .runPromise(Effect.flatMap(ApiKeys, (apiKeys) => apiKeys.authenticate(key)))
        .then(
          () => false,
          () => true
        )
  },
  "a message that another server delivers": {
    after: async (_wrong, _found, delivered) => {
      await turns(200)
      return delivered.length > 0
    }
  }
}

describe("given a server whose clock is 30 days ahead of that of the database", () => {
  for (const [what, { after, before = async () => "", options = {} }] of Object.entries(forgets)) {
    const run = async (isMeasured: boolean): Promise<boolean> => {
      const storage = memory()
      const delivered: Array<string> = []
      const held = Promise.withResolvers<void>()
      // The server that loses its message logs that.
      using _log = vi.spyOn(console, "log").mockImplementation(() => {})
      await using right = await testPetstore({ storage, ...options, onMessage: () => held.promise })
      const found = await before(right)
      if (what.includes("message")) await right.messages.enqueue("Hello")
      await right.categories.create({ name: "Cats" })
      await turns(50)
      const now = new Date(Date.parse(right.clock.now) + ahead)
      await using wrong = await testPetstore({
        storage: isMeasured ? measured(storage) : storage,
        ...options,
        now,
        onMessage: ({ message }) => delivered.push(message)
      })
      const isForgotten = await after(wrong, found, delivered)
      held.resolve()
      return isForgotten
    }

    it(`when that is measured, then ${what} is neither forgotten nor taken; otherwise it is`, async () => {
      assert.deepStrictEqual([await run(true), await run(false)], [false, true])
    })
  }
})
