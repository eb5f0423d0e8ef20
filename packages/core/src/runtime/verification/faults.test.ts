import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { changeRow, saved, written } from "../../../test/support/writes.ts"
import { accessFaults } from "../../../test/verification/accessFaults.ts"
import { checkpointFaults } from "../../../test/verification/checkpointFaults.ts"
import { consumerFaults } from "../../../test/verification/consumerFaults.ts"
import { opened, verified } from "../../../test/verification/damagedStore.ts"
import { eventFaults } from "../../../test/verification/eventFaults.ts"
import { changeKey, without } from "../../../test/verification/Fault.ts"
import { idempotencyFaults } from "../../../test/verification/idempotencyFaults.ts"
import { ledgerFaults } from "../../../test/verification/ledgerFaults.ts"
import { messageFaults } from "../../../test/verification/messageFaults.ts"
import { orderFaults } from "../../../test/verification/orderFaults.ts"
import { petFaults } from "../../../test/verification/petFaults.ts"
import { storeFaults } from "../../../test/verification/storeFaults.ts"
import { webhookFaults } from "../../../test/verification/webhookFaults.ts"
import { queued } from "../../domain/messages/MessageState.ts"
import { memory } from "../../memory/MemoryStorage.ts"
import { Petstore } from "../../petstore/EffectPetstore.ts"
import { Storage } from "../../ports/Storage.ts"
import type { EventToAppend } from "../../tables/eventTable.ts"
import { events, messages, pets } from "../../tables/index.ts"
import { Verification } from "./Verification.ts"

const faults = [
  ...storeFaults,
  ...petFaults,
  ...orderFaults,
  ...ledgerFaults,
  ...eventFaults,
  ...checkpointFaults,
  ...messageFaults,
  ...idempotencyFaults,
  ...accessFaults,
  ...consumerFaults,
  ...webhookFaults
]

describe("given rows that were written past the use cases", () => {
  it.effect("then what they contradict shows it", () =>
    Effect.gen(function* () {
      yield* opened
      const store = yield* Storage
      const event: EventToAppend = {
        id: "evt_zzzzzzzzz0000000000000",
        type: "category.deleted",
        subject: "categories/8",
        timestamp: "2026-05-04T09:30:00.000Z",
        data: { id: 8 }
      }
      yield* changeRow(store, pets, 5, (pet) => ({ ...pet, stock: { ...pet.stock, onHand: 9 } }))
      yield* written([
        saved(messages, queued("msg_1", "Hi", "2026-05-04T09:30:00.000Z")),
        { log: events.name, rows: [event] }
      ])
      const { checks } = yield* Effect.flatMap(Verification, ({ verify }) => verify)
      assert.deepStrictEqual(
        checks.flatMap(({ examples, name }) => (examples.length > 0 ? [[name, examples]] : [])),
        [
          ["ledger_adds_up", [{ petId: 5, onHand: { found: 9, expected: 4 } }]],
          [
            "event_versions",
            [{ seq: 47, type: "category.deleted", subject: "categories/8", problem: "not created before" }]
          ],
          ["events_replay_inventory", [{ subject: "inventory/5", onHand: { found: 9, expected: 4 } }]],
          ["messages_have_events", [{ messageId: "msg_1", problem: "no event is about it" }]]
        ]
      )
    }).pipe(Effect.provide(Petstore.layer(memory())))
  )
})

describe("given a store without a fault", () => {
  for (const ids of [1, 10, 40, 32_768]) {
    it.effect(`then every rule holds, on one row or more, with ${ids} rows at a time in memory`, () =>
      Effect.gen(function* () {
        const { found, report } = yield* verified({}, { ids })
        assert.deepStrictEqual(found, {})
        assert.deepStrictEqual(
          report.checks.filter(({ checked }) => checked === 0),
          []
        )
      })
    )
  }

  it.effect("whose API keys were made or revoked by an earlier release, without events, then every rule holds", () =>
    Effect.gen(function* () {
      const events = without(({ type }) => type.startsWith("apiKey."))
      const apiKeys = changeKey(1, () => ({ revoked: true }))
      for (const damage of [{ events }, { apiKeys }]) assert.deepStrictEqual((yield* verified(damage)).found, {})
    })
  )

  it.effect("then each of its rules is broken by one of the faults below", () =>
    Effect.gen(function* () {
      const { report } = yield* verified({})
      const broken = new Set(faults.flatMap(({ found }) => Object.keys(found).slice(0, 1)))
      assert.deepStrictEqual([...broken].sort(), report.checks.map(({ name }) => name).sort())
    })
  )
})

for (const { damage, found, given } of faults) {
  describe(`given ${given}`, () => {
    it.effect(`then ${Object.keys(found).join(", ")} shows it, and nothing else does`, () =>
      Effect.gen(function* () {
        assert.deepStrictEqual((yield* verified(damage)).found, found)
      })
    )

    it.effect("then the same shows it where two rows at a time are in memory", () =>
      Effect.gen(function* () {
        const shown = (yield* verified(damage, { ids: 2 })).found
        assert.deepStrictEqual(Object.keys(shown), Object.keys(found))
        for (const [name, rows] of Object.entries(found)) assert.sameDeepMembers([...(shown[name] ?? [])], [...rows])
      })
    )
  })
}
