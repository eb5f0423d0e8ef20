import { assert, describe, it } from "@effect/vitest"
import { isStoredTime } from "./storedTime.ts"

describe("given a text", () => {
  it.each([
    "2026-05-04T09:30:00.000Z",
    "2026-05-04T23:59:59.999Z",
    "2024-02-29T00:00:00.000Z",
    "2026-05-04T09:30:00.001Z",
    "9999-12-31T23:59:59.999Z"
  ])("when it is the time %s, then it is a stored one, also after another time of that day", (text) => {
    assert.isTrue(isStoredTime(text))
    assert.isTrue(isStoredTime(text))
  })

  it.each([
    "2026-05-04T24:00:00.000Z",
    "2026-05-04T09:60:00.000Z",
    "2026-05-04T09:30:60.000Z",
    "2026-05-04T09:30:00Z",
    "2026-05-04T09:30:00.000",
    "2026-05-04T09:30:00.000+00:00",
    "2026-05-04T09:30:00.000Z ",
    "2026-05-04t09:30:00.000z",
    "2026-02-30T09:30:00.000Z",
    "2026-13-04T09:30:00.000Z",
    "0000-01-01T00:00:00.000Z",
    ""
  ])("when it is %j, then it is no stored time, also after a time of that day", (text) => {
    isStoredTime("2026-05-04T09:30:00.000Z")
    assert.isFalse(isStoredTime(text))
    assert.isFalse(isStoredTime(text))
  })
})
