import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { openOrCreate } from "../../src/cli/database.ts"
import * as settings from "../../src/cli/settings.ts"
import { createFirstKey } from "../../src/cli/subcommands/serve.ts"
import { startPetstore, startServer } from "../support/PetstoreProcess.ts"
import { sharedStorages } from "../support/ServerGroup.ts"

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
          for (const { child } of servers) child.kill("SIGTERM")
          // Standard output is whole only then: it arrives in no order with the log, which says that they listen.
          yield* Effect.forEach(servers, ({ ended }) => ended)
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
          assert.lengthOf(JSON.parse(yield* run("call", "listAccounts")), 1)
        })
      )
  )

  it.live("given petstores that look for an admin key at the same moment, then one of them creates it", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const place = Option.getOrThrow(settings.database.parse(yield* storage))
        const database = { storage: place, schema: settings.schema.default, tablePrefix: settings.tablePrefix.default }
        const petstores = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => Layer.build(openOrCreate(database)))
        const created = yield* Effect.forEach(petstores, (petstore) => Effect.provide(createFirstKey, petstore), {
          concurrency: "unbounded"
        })
        assert.lengthOf(
          created.filter((key) => key !== undefined),
          1
        )
      }).pipe(Effect.orDie)
    )
  )
})
