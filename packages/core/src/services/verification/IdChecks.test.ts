import { assert, describe, it } from "@effect/vitest"
import { IdChecks } from "./IdChecks.ts"

const reported = (...ids: ReadonlyArray<number | string>) => {
  const checks = new IdChecks()
  for (const id of ids) checks.row("pets", id)
  return checks.ids.result.examples.map(({ id }) => id)
}

describe("ids_unique", () => {
  it("takes ids that grow", () => {
    assert.deepStrictEqual(reported(1, 2, 9, Number.MAX_SAFE_INTEGER), [])
    assert.deepStrictEqual(reported("msg_1", "msg_2"), [])
  })

  it("reports an id that was there before", () => {
    assert.deepStrictEqual(reported(1, 2, 2), [2])
    assert.deepStrictEqual(reported(2, 1), [1])
    assert.deepStrictEqual(reported("msg_2", "msg_2"), ["msg_2"])
  })

  it("reports what can be no id", () => {
    assert.deepStrictEqual(reported(0), [0])
    assert.deepStrictEqual(reported(-1), [-1])
    assert.deepStrictEqual(reported(1.5), [1.5])
    assert.deepStrictEqual(reported(2 ** 53), [2 ** 53])
  })

  it("looks at each table on its own", () => {
    const checks = new IdChecks()
    for (const table of ["pets", "orders"]) checks.row(table, 1)
    assert.strictEqual(checks.ids.result.violations, 0)
  })
})
