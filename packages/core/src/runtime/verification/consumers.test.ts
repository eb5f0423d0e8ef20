import { assert, describe, it } from "vitest"
import { newConsumer, newParkedEvent } from "../../../testing/src/storage/rows.ts"
import { consumerProblem, parkedEventProblem } from "./consumers.ts"

describe("consumerProblem", () => {
  it("given a consumer that is new, in work, or waits after a failure, then there is none", () => {
    const at = "2026-05-04T09:30:00.000Z"
    assert.isUndefined(consumerProblem(newConsumer(), 0))
    const held = newConsumer({ lease: { fence: 3, until: at }, holder: "1-a", position: 7, types: ["pet.created"] })
    assert.isUndefined(consumerProblem(held, 7))
    const failed = { ...held, attempts: 2, retryAt: at, failure: { message: "no", at } }
    assert.isUndefined(consumerProblem(failed, 9))
    assert.isUndefined(consumerProblem(newConsumer({ name: "petstore:webhooks" }), 0))
  })

  it("given a position below the log, then that is the problem", () => {
    assert.strictEqual(consumerProblem(newConsumer({ position: -1 }), 9), "its position is not that of an event")
  })
})

describe("parkedEventProblem", () => {
  it("given an event that its consumer has passed, then there is none", () => {
    assert.isUndefined(parkedEventProblem(newParkedEvent({ attempts: 1, seq: 3 }), newConsumer({ position: 3 })))
  })

  it("given a number that no event has, then that is the problem", () => {
    for (const seq of [0, 2.5]) {
      assert.isDefined(parkedEventProblem(newParkedEvent({ seq }), newConsumer({ position: 3 })))
    }
  })
})
