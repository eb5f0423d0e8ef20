import { assert, describe, it } from "@effect/vitest"
import type { OrderContent } from "../../domain/Order.ts"
import { OrderChecks } from "./OrderChecks.ts"

const contents: ReadonlyArray<readonly [order: OrderContent, holds: boolean]> = [
  [{ state: "draft" }, true],
  [{ state: "draft", quantity: 1 }, true],
  [{ state: "draft", quantity: 0 }, false],
  [{ state: "draft", petId: 1 }, false],
  [{ state: "open", petId: 1, quantity: 1 }, true],
  [{ state: "open", petId: 1 }, false],
  [{ state: "open", quantity: 1 }, false],
  [{ state: "complete", petId: 1, quantity: 1, shipDate: "2026-05-04T09:30:00.000Z" }, true],
  [{ state: "complete", petId: 1, quantity: 1 }, false],
  [{ state: "complete", petId: 1, shipDate: "2026-05-04T09:30:00.000Z" }, false],
  [{ state: "complete", quantity: 1, shipDate: "2026-05-04T09:30:00.000Z" }, false],
  [{ state: "cancelled" }, true],
  [{ state: "cancelled", quantity: 1 }, true],
  [{ state: "cancelled", petId: 1, quantity: 1 }, true],
  [{ state: "cancelled", petId: 1 }, false]
]

describe("order_contents", () => {
  for (const [order, holds] of contents) {
    it(`${holds ? "takes" : "reports"} ${JSON.stringify(order)}`, () => {
      const checks = new OrderChecks()
      checks.addOrder({ id: 7, order, version: 1 })
      assert.deepStrictEqual(checks.contents.result.examples, holds ? [] : [{ orderId: 7, ...order }])
    })
  }
})
