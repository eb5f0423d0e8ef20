import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { vi } from "vitest"
import { startPetstore, startServer } from "../support/PetstoreProcess.ts"
import { sharedStorages } from "../support/sharedStorages.ts"

// Each test starts several processes.
vi.setConfig({ testTimeout: 120_000 })

describe.each(Object.entries(sharedStorages))("several processes that start on one %s database", (_, storage) => {
  it.live(
    "given servers that start at once on an empty database, then one of them creates and prints an admin key",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const env = { PETSTORE_STORAGE: yield* storage }
          const servers = yield* Effect.all(
            [1, 2, 3].map(() => startServer([], { env })),
            { concurrency: "unbounded" }
          )
          const keys = servers.map((server) => server.stdout()).filter((text) => text !== "")
          assert.lengthOf(keys, 1)
          assert.match(keys[0] ?? "", /^psk_1_/)
        })
      )
  )

  it.live(
    "given processes that create a key for the same new account at once, then all succeed, with one account",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const env = { PETSTORE_STORAGE: yield* storage }
          const run = (...args: ReadonlyArray<string>) =>
            Effect.gen(function* () {
              const { ended, stderr, stdout } = yield* startPetstore(args, { env })
              assert.strictEqual(yield* ended, 0, stderr())
              return stdout().trim()
            })
          const keys = yield* Effect.all(
            [1, 2, 3, 4].map(() => run("keys", "create", "--account", "shop", "--preset", "read")),
            { concurrency: "unbounded" }
          )
          assert.strictEqual(new Set(keys).size, 4)
          assert.lengthOf(JSON.parse(yield* run("accounts", "list", "--json")), 1)
        })
      )
  )
})
