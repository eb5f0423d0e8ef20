import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { clearText, expectLogs } from "../../../core/test/support/expectLogs.ts"
import { temporaryFile } from "../../test/support/temporary.ts"
import { sqlite } from "./sqlite.ts"

expectLogs(clearText)

const events = 60

describe("given two petstores that send the webhooks of a file", () => {
  it.live("when one routes events while the other makes attempts, then those go on, and each event is sent once", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const sent: Array<string> = []
      const all = Promise.withResolvers<void>()
      const webhooks = {
        urlProblem: () => undefined,
        send: ({ id }: { readonly id: string }) =>
          Effect.gen(function* () {
            sent.push(id)
            yield* Effect.sleep(300)
            if (new Set(sent).size === events) all.resolve()
            return { delivered: true, status: 204 } as const
          })
      }
      const open = Effect.acquireRelease(
        Effect.promise(() => createPetstore({ storage: sqlite(file), webhooks })),
        (petstore) => Effect.promise(() => petstore.close())
      )
      const one = yield* open
      const other = yield* open
      yield* Effect.promise(async () => {
        await one.webhooks.create({ url: "https://example.com/hook", types: ["category.created"], concurrency: 100 })
        for (let n = 0; n < events; n++) await (n % 2 === 0 ? one : other).categories.create({ name: `Category ${n}` })
        await all.promise
      })
      assert.strictEqual(sent.length, events)
    })
  )
})
