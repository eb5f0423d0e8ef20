import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { requester } from "../support/groupTraffic.ts"
import { type ServerGroup, sharedStorages, startServers } from "../support/ServerGroup.ts"

const createdKey = (group: ServerGroup): Effect.Effect<string> =>
  Effect.map(group.run("keys", "create", "--account", "shop", "--preset", "read"), ({ code, out }) => {
    assert.strictEqual(code, 0, out)
    return out.trim()
  })

const statuses = ({ servers }: ServerGroup, key: string) =>
  Effect.forEach(servers, (server) => Effect.map(requester(server, key)("GET", "/pets"), ({ status }) => status))

describe.each(Object.entries(sharedStorages))("keys of servers on one %s database", (_, storage) => {
  it.live(
    "given a key that is in use everywhere and is revoked on one server, then a second later no server takes it",
    () =>
      Effect.scoped(
        Effect.gen(function* () {
          const group = yield* startServers({ storage: yield* storage })
          const key = yield* createdKey(group)
          const send = requester(group)
          const rounds = 3
          for (let round = 0; round < rounds; round++)
            assert.deepStrictEqual(yield* statuses(group, key), [200, 200, 200])
          // Kept in use, so that every server has it in its cache at the moment of the revocation.
          const using = yield* Effect.forkChild(Effect.forever(Effect.delay(statuses(group, key), "50 millis")))
          yield* Effect.sleep("200 millis")
          assert.strictEqual((yield* send("DELETE", "/api-keys/1")).status, 204)
          yield* Effect.sleep("1 second")
          assert.isUndefined(using.pollUnsafe())
          assert.deepStrictEqual(yield* statuses(group, key), [401, 401, 401])
        })
      )
  )

  it.live("given a key that was just created on one server, then every server takes it at once", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const group = yield* startServers({ storage: yield* storage })
        assert.deepStrictEqual(yield* statuses(group, yield* createdKey(group)), [200, 200, 200])
      })
    )
  )
})

describe.each(Object.entries(sharedStorages))("rate limits of servers on one %s database", (_, storage) => {
  it.live("given a limit, then each server counts for itself, and its headers show its own count", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const group = yield* startServers({ storage: yield* storage, args: ["--rate-limit", "2"] })
        const key = yield* createdKey(group)
        const rounds = [yield* statuses(group, key), yield* statuses(group, key), yield* statuses(group, key)]
        assert.deepStrictEqual(rounds, [
          [200, 200, 200],
          [200, 200, 200],
          [429, 429, 429]
        ])
      })
    )
  )
})
