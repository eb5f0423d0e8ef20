import { assert, describe, it } from "@effect/vitest"
import { isEventId } from "./isEventId.ts"

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
