import { stripVTControlCharacters } from "node:util"
import type { Event } from "@petstore/core/domain"
import { aPet } from "@petstore/testing"
import * as CliOutput from "effect/cli/CliOutput"
import { assert, describe, it } from "vitest"
import { coloured, plain } from "../terminal/text.ts"
import { toLine } from "./events.ts"

const created: Event = {
  id: "evt_1",
  seq: 12,
  type: "pet.created",
  timestamp: "2026-11-22T13:05:01.123Z",
  subject: "pets/7",
  data: { ...aPet({ id: 7, name: "Tom" }), version: 1 }
}
const statusChanged: Event = {
  id: "evt_2",
  seq: 1_234,
  type: "pet.deleted",
  timestamp: "2026-11-22T13:05:02.000Z",
  subject: "pets/7",
  data: { id: 7 }
}

describe("the line of an event", () => {
  it("given events of several types, then their columns are aligned", () => {
    const [first = "", second = ""] = [created, statusChanged].map((event) => toLine(event, plain, 200))
    assert.match(first, /^ {6}12 {2}2026-11-22 13:05:01 {2}pet\.created {9}pets\/7 {11}\{"name":"Tom",/)
    assert.strictEqual(second, "    1234  2026-11-22 13:05:02  pet.deleted         pets/7")
    for (const column of ["2026", "pet.", "pets/7"]) assert.strictEqual(first.indexOf(column), second.indexOf(column))
  })

  it("given a narrow terminal, then the data is cut to fit on one line", () => {
    const line = toLine(created, plain, 80)
    assert.strictEqual(line.length, 80)
    assert.isTrue(line.endsWith("…"))
    const withoutData = toLine(created, plain, 20)
    assert.isTrue(withoutData.endsWith("pets/7"), withoutData)
  })

  it("given wide characters and a narrow terminal, then the line is cut by columns, between characters", () => {
    for (const name of ["日本語".repeat(30), "🐶".repeat(60)]) {
      const wide: Event = { ...created, data: { ...aPet({ id: 7, name }), version: 1 } }
      for (const width of [99, 100, 101]) {
        const line = toLine(wide, plain, width)
        assert.oneOf(CliOutput.displayWidth(line), [width - 1, width])
        assert.isTrue(line.isWellFormed() && line.endsWith("…"), line)
      }
    }
  })

  it("given colours, then the text is the same", () => {
    const line = toLine(created, coloured, 100)
    assert.notStrictEqual(line, stripVTControlCharacters(line))
    assert.strictEqual(stripVTControlCharacters(line), toLine(created, plain, 100))
  })

  it("given text that controls terminals, then it does not get there", () => {
    const hostile: Event = {
      ...created,
      data: { ...aPet({ id: 7, name: "\u009b2J\u202egnorw\u001b[2J" }), version: 1 }
    }
    assert.notMatch(toLine(hostile, plain, 300), /[\p{Cc}\p{Cf}]/u)
  })
})
