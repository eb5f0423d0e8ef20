import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { saved, written } from "../../../test/support/writes.ts"
import { newDelivery, newWebhookRecord } from "../../../testing/src/storage/rows.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import { deliveries, webhooks } from "../../tables/index.ts"
import { webhookHolder } from "./holders.ts"

describe("given an endpoint that is routed to event 5 and has a pending delivery of event 3", () => {
  for (const [after, position] of [
    [2, 2],
    [3, 5],
    [4, 5]
  ] as const) {
    it.effect(`when events after ${after} are to be removed, then it needs those after ${position}`, () =>
      Effect.gen(function* () {
        const endpoint = newWebhookRecord({ id: 1 }, { route: { after: 5, enabled: true } })
        yield* written([saved(webhooks, endpoint), saved(deliveries, newDelivery(1, 3, { id: 1 }))])
        const holder = yield* webhookHolder(yield* Storage, after, 10, "2020-01-01T00:00:00.000Z")
        assert.deepStrictEqual(holder, { webhook: 1, position })
      }).pipe(Effect.provide(Petstore.layer(memory())))
    )
  }
})
