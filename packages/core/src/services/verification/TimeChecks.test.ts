import { assert, describe, it } from "@effect/vitest"
import { TimeChecks } from "./TimeChecks.ts"

const reported = (...times: ReadonlyArray<string | undefined>) => {
  const checks = new TimeChecks()
  for (const at of times) checks.add({}, { at })
  return checks.valid.result.examples.map(({ at }) => at)
}

describe("times_valid", () => {
  it("takes times as they are written, and absent ones", () => {
    assert.deepStrictEqual(reported("2026-05-04T09:30:00.000Z", "0001-01-01T00:00:00.000Z", undefined), [])
  })

  it("reports what is no time, or one in another form", () => {
    const wrong = ["", "soon", "2026-02-30T09:30:00.000Z", "2026-05-04T09:30:00Z", "2026-05-04T09:30:00.000+00:00"]
    assert.deepStrictEqual(reported(...wrong), wrong)
  })

  it("shows the row, and of its times those that are wrong", () => {
    const checks = new TimeChecks()
    checks.add({ keyId: 1 }, { createdAt: "soon", expiresAt: "2026-05-04T09:30:00.000Z" })
    assert.deepStrictEqual(checks.valid.result.examples, [{ keyId: 1, createdAt: "soon" }])
  })
})
