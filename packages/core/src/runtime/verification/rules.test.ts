import { assert, describe, it } from "@effect/vitest"
import { anOrderRecord } from "../../../testing/src/builders.ts"
import type { OrderContent } from "../../domain/orders/Order.ts"
import { checkIds } from "./Pass.ts"
import { Report } from "./Report.ts"
import { rules, rulesApart } from "./rules.ts"

const found = (name: string, feed: (report: Report) => void, latest?: string) => {
  const report = new Report(rules, latest)
  feed(report)
  return report.results.find((result) => result.name === name)?.examples ?? assert.fail(`There is no rule ${name}`)
}

const reportedIds = (...ids: ReadonlyArray<number | string>) =>
  found("ids_unique", (report) => {
    const check = checkIds(report, "pets")
    for (const id of ids) check(id)
  }).map(({ id }) => id)

describe("ids_unique", () => {
  it("takes ascending ids", () => {
    assert.deepStrictEqual(reportedIds(1, 2, 9, Number.MAX_SAFE_INTEGER), [])
    assert.deepStrictEqual(reportedIds("msg_1", "msg_2"), [])
  })

  it("reports an id that was there before", () => {
    assert.deepStrictEqual(reportedIds(1, 2, 2), [2])
    assert.deepStrictEqual(reportedIds(2, 1), [1])
    assert.deepStrictEqual(reportedIds("msg_2", "msg_2"), ["msg_2"])
  })

  it("reports invalid ids", () => {
    assert.deepStrictEqual(reportedIds(0), [0])
    assert.deepStrictEqual(reportedIds(-1), [-1])
    assert.deepStrictEqual(reportedIds(1.5), [1.5])
    assert.deepStrictEqual(reportedIds(2 ** 53), [2 ** 53])
  })

  it("looks at each table on its own", () => {
    const examples = found("ids_unique", (report) => {
      for (const table of ["pets", "orders"]) checkIds(report, table)(1)
    })
    assert.deepStrictEqual(examples, [])
  })
})

const reportedTimes = (...times: ReadonlyArray<string | undefined>) =>
  found("times_valid", (report) => {
    const check = report.on("times")
    for (const at of times) check({ row: {}, times: { at } })
  }).map(({ at }) => at)

describe("times_valid", () => {
  it("takes times as they are stored, and absent ones", () => {
    assert.deepStrictEqual(reportedTimes("2026-05-04T09:30:00.000Z", "0001-01-01T00:00:00.000Z", undefined), [])
  })

  it("reports invalid times, and times in another form", () => {
    const wrong = ["", "soon", "2026-02-30T09:30:00.000Z", "2026-05-04T09:30:00Z", "2026-05-04T09:30:00.000+00:00"]
    assert.deepStrictEqual(reportedTimes(...wrong), wrong)
  })

  it("reports an endpoint that is failing since a time ahead", () => {
    const times = { failingSince: "2099-01-01T00:00:00.000Z", expiresAt: "2099-01-01T00:00:00.000Z" }
    const examples = found(
      "times_valid",
      (report) => report.on("times")({ row: { webhookId: 1 }, times }),
      "2026-05-05T09:30:00.000Z"
    )
    assert.deepStrictEqual(examples, [{ webhookId: 1, failingSince: times.failingSince }])
  })

  it("shows the row, and of its times those that are wrong", () => {
    const examples = found("times_valid", (report) =>
      report.on("times")({ row: { keyId: 1 }, times: { createdAt: "soon", expiresAt: "2026-05-04T09:30:00.000Z" } })
    )
    assert.deepStrictEqual(examples, [{ keyId: 1, createdAt: "soon" }])
  })
})

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
      const examples = found("order_contents", (report) => report.on("order")(anOrderRecord({ id: 7, order })))
      assert.deepStrictEqual(examples, holds ? [] : [{ orderId: 7, ...order }])
    })
  }
})

describe("the rules", () => {
  it("have a name each, and demands in whole sentences", () => {
    const all = [...rulesApart, ...rules]
    assert.strictEqual(new Set(all.map(({ name }) => name)).size, all.length)
    for (const { check, demands, name } of all) {
      assert.match(demands, /^[A-Z].*\.$/, name)
      assert.isNotEmpty(check, name)
    }
  })
})
