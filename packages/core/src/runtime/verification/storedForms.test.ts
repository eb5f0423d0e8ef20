import { assert, describe, it } from "@effect/vitest"
import { isEventId, isStoredTime } from "./storedForms.ts"

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

const millis = Date.UTC(2026, 4, 4, 9, 30)
const idAt = (time: number): string => `evt_${time.toString(36).padStart(9, "0")}00000abcdefgh`
const at = (time: number): string => new Date(time).toISOString()

describe("given the id of an event, after that of another event at this time", () => {
  for (const [what, id, timestamp, expected] of [
    ["of the same time", idAt(millis), at(millis), true],
    ["of a later time", idAt(millis + 1), at(millis), true],
    ["of a much later time", idAt(millis * 2), at(millis), true],
    ["of an earlier time", idAt(millis - 1), at(millis), false],
    ["of the same time, for a later event", idAt(millis), at(millis + 1), false],
    ["with a longer counter", `${idAt(millis)}0`, at(millis), true],
    ["that is too short", idAt(millis).slice(0, -1), at(millis), false],
    ["without its prefix", idAt(millis).slice(4), at(millis), false],
    ["with capitals", idAt(millis).replace("abc", "ABC"), at(millis), false]
  ] as const) {
    it(`when it is one ${what}, then it ${expected ? "fits" : "does not fit"}`, () => {
      assert.isTrue(isEventId(idAt(millis), at(millis)))
      assert.strictEqual(isEventId(id, timestamp), expected)
      assert.strictEqual(isEventId(id, timestamp), expected)
    })
  }
})
