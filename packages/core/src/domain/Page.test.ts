import { assert, describe, it } from "@effect/vitest"
import { schema } from "effect/Arbitrary"
import * as Schema from "effect/Schema"
import { id, petFilter } from "../../testing/src/arbitraries.ts"
import { int } from "../../testing/src/combine.ts"
import { limits } from "./limits.ts"
import { cursorPattern, formatCursor, parseCursor } from "./Page.ts"

const base64url = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
const filters = { status: "available", categoryId: 3 }
const cursor = formatCursor("pets", filters, 42)

describe("a cursor", () => {
  it("given the same list and filters, then it gives the last item back", () => {
    assert.strictEqual(parseCursor("pets", filters, cursor), "42")
  })

  it("is text that needs no escaping in a URL", () => assert.match(cursor, /^[\w-]+$/))

  it("holds the longest name: 200 characters of which NFC makes three, each of four bytes", () => {
    const last = `9007199254740991 ${"\u{1d160}".repeat(limits.petName).normalize("NFC")}`
    const longest = formatCursor("pets", { name: "R" }, last)
    assert.match(longest, cursorPattern)
    assert.strictEqual(parseCursor("pets", { name: "R" }, longest), last)
  })

  it("does not depend on the order of filters, or on those that are undefined", () => {
    assert.strictEqual(formatCursor("pets", { categoryId: 3, name: undefined, status: "available" }, 42), cursor)
  })

  const others: { readonly [reason: string]: readonly [string, object] } = {
    "another list": ["orders", filters],
    "other filters": ["pets", { ...filters, status: "sold" }],
    "fewer filters": ["pets", { status: "available" }],
    "more filters": ["pets", { ...filters, name: "R" }],
    "a filter of another type": ["pets", { ...filters, categoryId: "3" }]
  }
  for (const [reason, [list, filter]] of Object.entries(others)) {
    it(`given ${reason}, then it is rejected`, () => {
      assert.isUndefined(parseCursor(list, { ...filter }, cursor))
    })
  }

  it("given any one character changed, then it is rejected", () => {
    for (let place = 0; place < cursor.length; place++) {
      for (const character of `${base64url}+/= \n%é`) {
        const changed = cursor.slice(0, place) + character + cursor.slice(place + 1)
        if (changed !== cursor) assert.isUndefined(parseCursor("pets", filters, changed), changed)
      }
    }
  })

  it("given that it was cut or made longer, then it is rejected", () => {
    for (let length = 0; length < cursor.length; length++) {
      assert.isUndefined(parseCursor("pets", filters, cursor.slice(0, length)))
    }
    for (const more of ["A", "=", "==", "\n", " ", "AAAA"]) {
      assert.isUndefined(parseCursor("pets", filters, cursor + more))
      assert.isUndefined(parseCursor("pets", filters, more + cursor))
    }
  })

  const forged: { readonly [reason: string]: string } = {
    "is empty": "",
    "is no base64": "!!!!",
    "is a bare id": "42",
    "is the base64 of an id": btoa("42"),
    "is its own text": atob(cursor.replace(/-/g, "+").replace(/_/g, "/")),
    "has another last item without its checksum": btoa(atob(cursor).replace(".42.", ".43.")).replace(/=+$/, ""),
    "is of another version": btoa(atob(cursor).replace(/^1\./, "2.")).replace(/=+$/, ""),
    "is padded": `${cursor}=`,
    "is very long": "A".repeat(10_000),
    "is not ASCII": "🐶"
  }
  for (const [reason, text] of Object.entries(forged)) {
    it(`given one that ${reason}, then it is rejected`, () => {
      assert.isUndefined(parseCursor("pets", filters, text))
    })
  }

  it.prop("gives every id back, whatever the filters", { last: id, filter: petFilter }, ({ filter, last }) => {
    assert.strictEqual(parseCursor("pets", { ...filter }, formatCursor("pets", { ...filter }, last)), String(last))
  })

  it("takes filters of any text, lone surrogates included", () => {
    const odd = { name: "\ud800🐶\u0000é" }
    assert.strictEqual(parseCursor("pets", odd, formatCursor("pets", odd, 1)), "1")
  })

  it.prop("never throws on other text", { text: schema(Schema.String), size: int(1, 3) }, ({ size, text }) => {
    assert.isUndefined(parseCursor("pets", filters, text.repeat(size)))
  })
})
