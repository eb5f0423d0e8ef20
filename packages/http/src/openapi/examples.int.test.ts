import { assert, it } from "@effect/vitest"
import { Storage } from "@petstore/core/ports"
import { consumers, parkedEvents } from "@petstore/core/tables"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { newConsumer, newParkedEvent } from "../../../core/testing/src/storage/rows.ts"
import { failuresInOrder } from "../../test/support/exampleConversation.ts"
import { startServer } from "../../test/support/TestServer.ts"
import type { OpenApi } from "./OpenApi.ts"

it.effect(
  "given a fresh server, when every operation is run in the order of its document, with the examples in it, then all succeed",
  () =>
    Effect.gen(function* () {
      const { runtime, send } = yield* startServer({ metrics: true })
      // No operation opens a consumer.
      yield* Context.get(runtime, Storage).run(function* (tx) {
        tx.add(consumers, newConsumer())
        tx.add(parkedEvents, newParkedEvent())
      })
      const document = (yield* send("GET", "/openapi.json", { key: undefined })).body as OpenApi
      const { failures, ran } = yield* failuresInOrder(send, document)
      assert.deepStrictEqual(failures, [])
      assert.isAbove(ran, 40)
    })
)
