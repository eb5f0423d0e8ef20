import { assert, describe, it } from "vitest"
import { retryAfterOf } from "./retryAfter.ts"

const now = Date.parse("2026-11-22T12:00:00.500Z")

const waits: ReadonlyArray<readonly [header: string, millis: number]> = [
  ["0", 0],
  ["120", 120_000],
  ["007", 7_000],
  ["86401", 86_401_000],
  ["9".repeat(40), 1e43],
  ["Sun, 22 Nov 2026 12:01:00 GMT", 59_500],
  ["Sunday, 22-Nov-26 12:01:00 GMT", 59_500],
  ["Sun Nov 22 12:01:00 2026", 59_500],
  ["Tue Dec  1 12:00:00 2026", 9 * 86_400_000 - 500],
  ["Sun, 22 Nov 2026 12:00:60 GMT", 59_500],
  ["Tue, 29 Feb 2028 00:00:00 GMT", Date.parse("2028-02-29T00:00:00Z") - now],
  ["Sunday, 22-Nov-76 12:00:00 GMT", Date.parse("2076-11-22T12:00:00Z") - now],
  ["Tuesday, 22-Nov-77 12:00:00 GMT", 0],
  ["Sun, 22 Nov 2026 11:59:00 GMT", 0],
  ["Sun, 06 Nov 1994 08:49:37 GMT", 0]
]

const invalid: ReadonlyArray<string | null | undefined> = [
  undefined,
  null,
  "",
  " 120",
  "120 ",
  "-1",
  "+1",
  "1.5",
  "1e3",
  "0x10",
  "١٢",
  "1_000",
  "soon",
  "1 minute",
  "120, 240",
  "120;a=b",
  "2026-11-22",
  "2026-11-22T12:01:00Z",
  "22 Nov 2026 12:01:00 GMT",
  "Nov 22 2026",
  "Sun, 22 Nov 2026 12:01:00",
  "Sun, 22 Nov 2026 12:01:00 +0000",
  "Sun, 22 Nov 2026 12:01:00 PST",
  "Sun, 22 Nov 2026 12:01:00 UTC",
  "Sun, 22 Nov 2026 12:01:00 GMT ",
  "Sun, 22 Nov 2026 12:01:00 GMT, Sun, 22 Nov 2026 12:01:00 GMT",
  "Sun, 22 Nov 2026 12:01 GMT",
  "Sun, 22 Nov 2026 24:00:00 GMT",
  "Sun, 22 Nov 2026 12:60:00 GMT",
  "Sun, 22 Nov 2026 12:01:61 GMT",
  "Sun, 22 nov 2026 12:01:00 GMT",
  "sun, 22 Nov 2026 12:01:00 GMT",
  "Sun, 22 Foo 2026 12:01:00 GMT",
  "Sun,  22 Nov 2026 12:01:00 GMT",
  "Sun, 22 Nov 26 12:01:00 GMT",
  "Fri, 1 Jan 2100 00:00:00 GMT",
  "Sun, 99 Nov 2026 12:01:00 GMT",
  "Tue, 00 Dec 2026 12:01:00 GMT",
  "Tue, 31 Nov 2026 12:01:00 GMT",
  "Mon, 29 Feb 2027 12:01:00 GMT",
  "Mon, 22 Nov 2026 12:01:00 GMT",
  "Monday, 22-Nov-26 12:01:00 GMT",
  "Mon Nov 22 12:01:00 2026",
  "Sunday, 22-Nov-2026 12:01:00 GMT",
  "Tues, 01-Dec-26 12:01:00 GMT",
  "Tue Dec 1 12:01:00 2026",
  `1${" ".repeat(200)}`
]

describe("the header Retry-After", () => {
  for (const [header, millis] of waits) {
    it(`given ${header.slice(0, 40)}, then the wait is ${millis} ms`, () => {
      assert.strictEqual(retryAfterOf(header, now), millis)
    })
  }

  for (const header of invalid) {
    it(`given ${JSON.stringify(header)?.slice(0, 70)}, then it is ignored`, () => {
      assert.isUndefined(retryAfterOf(header, now))
    })
  }
})
