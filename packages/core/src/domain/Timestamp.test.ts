import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { sentTimestamp } from "../../testing/src/arbitraries.ts"
import { formatTimestamp, parseTimestamp, Timestamp } from "./Timestamp.ts"
import { validator } from "./validate.ts"

const read = Schema.decodeUnknownResult(Timestamp)

describe("a time as it may be sent", () => {
  const taken: { readonly [text: string]: string } = {
    "2026-05-04T09:30:00Z": "2026-05-04T09:30:00.000Z",
    "2026-05-04T09:30:00.5Z": "2026-05-04T09:30:00.500Z",
    "2026-05-04T09:30:00.123456789Z": "2026-05-04T09:30:00.123Z",
    "2026-05-04T09:30:00.9999Z": "2026-05-04T09:30:00.999Z",
    "2026-05-04t09:30:00z": "2026-05-04T09:30:00.000Z",
    "2026-05-04T09:30:00+02:00": "2026-05-04T07:30:00.000Z",
    "2026-05-04T09:30:00-02:30": "2026-05-04T12:00:00.000Z",
    "2026-05-04T09:30:00-00:00": "2026-05-04T09:30:00.000Z",
    "2026-05-04T00:00:00+23:59": "2026-05-03T00:01:00.000Z",
    "2026-01-01T00:30:00+01:00": "2025-12-31T23:30:00.000Z",
    "2026-12-31T23:59:59.999Z": "2026-12-31T23:59:59.999Z",
    "2024-02-29T00:00:00Z": "2024-02-29T00:00:00.000Z",
    "2000-02-29T00:00:00Z": "2000-02-29T00:00:00.000Z",
    "0004-02-29T00:00:00Z": "0004-02-29T00:00:00.000Z",
    "1969-12-31T23:59:59.999Z": "1969-12-31T23:59:59.999Z",
    "0001-01-01T00:00:00Z": "0001-01-01T00:00:00.000Z",
    "0001-01-01T01:00:00+01:00": "0001-01-01T00:00:00.000Z",
    "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
    "9999-12-31T22:59:59.999-01:00": "9999-12-31T23:59:59.999Z"
  }
  for (const [text, expected] of Object.entries(taken)) {
    it(`given ${text}, then it is ${expected}`, () => {
      assert.deepStrictEqual(read(text), Result.succeed(expected))
    })
  }

  const refused: { readonly [reason: string]: ReadonlyArray<string> } = {
    "no offset": ["2026-05-04T09:30:00", "2026-05-04T09:30:00.000"],
    "no time": ["2026-05-04", "2026-05-04T", "2026-05-04Z"],
    "no seconds": ["2026-05-04T09:30Z"],
    "another separator": ["2026-05-04 09:30:00Z", "2026/05/04T09:30:00Z", "2026-05-04T09.30.00Z"],
    "the basic form": ["20260504T093000Z", "2026-05-04T09:30:00+0200", "2026-05-04T09:30:00+02"],
    "no such day": [
      "2025-02-29T00:00:00Z",
      "2026-02-30T00:00:00Z",
      "1900-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z",
      "2026-04-31T00:00:00Z",
      "2026-01-32T00:00:00Z",
      "2026-01-00T00:00:00Z"
    ],
    "no such month": ["2026-00-04T09:30:00Z", "2026-13-04T09:30:00Z"],
    "no such time": ["2026-05-04T24:00:00Z", "2026-05-04T09:60:00Z", "2026-05-04T23:59:60Z", "2026-05-04T09:30:61Z"],
    "no such offset": ["2026-05-04T09:30:00+24:00", "2026-05-04T09:30:00+02:60", "2026-05-04T09:30:00+2:00"],
    "a year before 1 after conversion": [
      "0000-01-01T00:00:00Z",
      "0000-02-29T00:00:00Z",
      "0001-01-01T00:00:00+00:01",
      "0000-12-31T23:59:59.999Z"
    ],
    "the year 0000": ["0000-12-31T23:59:59-01:00"],
    "a year behind 9999 after conversion": ["9999-12-31T23:59:59-00:01", "9999-12-31T23:59:59.999-23:59"],
    "a year of five digits": ["10000-01-01T00:00:00Z", "+10000-01-01T00:00:00Z", "+002026-05-04T09:30:00Z"],
    "a year before 0": ["-0001-01-01T00:00:00Z", "-000001-01-01T00:00:00Z"],
    "something around it": [" 2026-05-04T09:30:00Z", "2026-05-04T09:30:00Z ", "2026-05-04T09:30:00Z\n"],
    "digits of other scripts": ["２０２６-05-04T09:30:00Z", "٢٠٢٦-05-04T09:30:00Z"],
    "an empty fraction": ["2026-05-04T09:30:00.Z", "2026-05-04T09:30:00,5Z"],
    "not a time at all": ["", "now", "0", "1777887000", "Mon, 04 May 2026 09:30:00 GMT"]
  }
  for (const [reason, texts] of Object.entries(refused)) {
    for (const text of texts) {
      it(`given ${reason}, as in ${JSON.stringify(text)}, then it is rejected`, () => {
        assert.isUndefined(parseTimestamp(text))
        assert.isTrue(Result.isFailure(read(text)))
      })
    }
  }

  const reasons: { readonly [text: string]: string } = {
    "2016-12-31T23:59:60Z": "Expected seconds from 00 to 59: leap seconds are not supported",
    "2017-01-01t00:59:60.5+01:00": "Expected seconds from 00 to 59: leap seconds are not supported",
    "0000-06-01T00:00:00Z": "Expected a time from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59-00:01": "Expected a time from 0001-01-01T00:00:00.000Z to 9999-12-31T23:59:59.999Z",
    "2026-02-29T09:30:00Z": "Expected a day that exists",
    "2026-05-04T09:30:61Z": "Expected an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z",
    "2026-05-04": "Expected an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z"
  }
  for (const [text, message] of Object.entries(reasons)) {
    it(`given ${text}, then the violation is: ${message}`, () => {
      assert.deepStrictEqual(
        validator(Timestamp)("/body", text),
        Result.fail([{ path: "/body", message: `${message}, not ${JSON.stringify(text)}` }])
      )
    })
  }

  it("given thousands of digits of a second, then they are taken and cut", () => {
    assert.deepStrictEqual(
      read(`2026-05-04T09:30:00.${"7".repeat(10_000)}Z`),
      Result.succeed("2026-05-04T09:30:00.777Z")
    )
  })

  it.prop("is returned in UTC with milliseconds, and is the same time", { text: sentTimestamp }, ({ text }) => {
    const parsed = read(text)
    if (Result.isFailure(parsed)) return assert.fail(`${text} was rejected`)
    assert.match(parsed.success, /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
    assert.strictEqual(Date.parse(parsed.success), Date.parse(text.toUpperCase()))
    assert.deepStrictEqual(read(parsed.success), parsed)
    assert.strictEqual(formatTimestamp(parseTimestamp(text) ?? Number.NaN), parsed.success)
  })
})
