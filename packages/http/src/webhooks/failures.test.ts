import { assert, describe, it } from "vitest"
import { retryAfterOf } from "./failures.ts"

const now = Date.parse("2026-11-22T12:00:00.500Z")

describe("the header Retry-After", () => {
  for (const [header, seconds] of [
    ["0", 0],
    ["120", 120],
    [" 120 ", 120],
    ["86400", 86_400],
    ["86401", 86_400],
    ["9".repeat(40), 86_400],
    ["Sun, 22 Nov 2026 12:01:00 GMT", 60],
    ["Sunday, 22-Nov-26 12:01:00 GMT", 60],
    ["Sun Nov 22 12:01:00 2026", 60],
    ["Fri, 01 Jan 2100 00:00:00 GMT", 86_400],
    ["Sun, 22 Nov 2026 11:59:00 GMT", 0],
    ["Sun, 06 Nov 1994 08:49:37 GMT", 0]
  ] as const) {
    it(`given ${header.slice(0, 40)}, then it is ${seconds} s`, () => {
      assert.strictEqual(retryAfterOf(header, now), seconds)
    })
  }

  for (const header of [
    undefined,
    "",
    "-1",
    "+1",
    "1.5",
    "1e3",
    "0x10",
    "soon",
    "1 minute",
    "120, 240",
    "2026-11-22T12:01:00Z",
    "Sun, 22 Nov 2026 12:01:00 +0000",
    "Sun, 22 Nov 2026 12:01:00 PST",
    "Sun, 99 Nov 2026 12:01:00 GMT",
    "Sun, 22 Foo 2026 12:01:00 GMT",
    `1${" ".repeat(200)}`
  ]) {
    it(`given ${JSON.stringify(header)?.slice(0, 40)}, then it is ignored`, () => {
      assert.isUndefined(retryAfterOf(header, now))
    })
  }
})
