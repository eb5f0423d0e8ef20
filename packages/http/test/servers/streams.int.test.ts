import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { createClient } from "@petstore/http/client"
import * as Effect from "effect/Effect"
import { freePort } from "../../../adapters/test/support/freePort.ts"
import { strangersClient } from "../support/eventSource.ts"
import { temporaryFolder } from "../support/folder.ts"
import { startServer } from "../support/PetstoreProcess.ts"

const key = "test-admin-key-0123456789"

it.live("given a server that is killed and started again, then streams go on with each event once and in order", () =>
  Effect.scoped(
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "petstore.db")
      const start = (port: string) =>
        startServer(["--port", port, "--storage", `sqlite:${file}`], { env: { PETSTORE_ADMIN_KEY: key } })
      const port = String(yield* Effect.promise(freePort))
      const first = yield* start(port)
      const petstore = createClient({ baseUrl: first.url, key })
      const { seqs: strangers } = yield* strangersClient(`${first.url}/events/stream?after=0`, key)
      const own: Array<number> = []
      const subscription = yield* Effect.promise(() =>
        petstore.events.subscribe(({ seq }) => own.push(seq), { after: 0 })
      )
      const commit = (round: number) =>
        Effect.promise(async () => {
          for (let n = 0; n < 20; n++) await petstore.categories.create({ name: `Category ${round}-${n}` })
        })
      const both = (count: number) =>
        Effect.gen(function* () {
          while (own.length < count || strangers.length < count) yield* Effect.sleep(10)
        }).pipe(Effect.timeout("20 seconds"), Effect.orDie)

      yield* commit(1)
      yield* both(20)
      first.child.kill("SIGKILL")
      yield* first.ended
      yield* start(port)
      yield* commit(2)
      yield* both(40)
      subscription.close()
      const expected = Array.from({ length: 40 }, (_, index) => index + 1)
      assert.deepStrictEqual(own, expected)
      assert.deepStrictEqual(strangers, expected)
    })
  )
)
