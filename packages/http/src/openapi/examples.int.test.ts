import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { failuresInOrder } from "../../test/support/exampleConversation.ts"
import { startServer } from "../../test/support/TestServer.ts"
import type { OpenApi } from "./OpenApi.ts"

it.effect(
  "given a fresh server, when every operation is run in the order of its document, with the examples in it, then all succeed",
  () =>
    Effect.gen(function* () {
      const { send } = yield* startServer({ metrics: true })
      const document = (yield* send("GET", "/openapi.json", { key: undefined })).body as OpenApi
      const { failures, ran } = yield* failuresInOrder(send, document)
      assert.deepStrictEqual(failures, [])
      assert.isAbove(ran, 40)
    })
)
