import { assert, describe, it } from "@effect/vitest"
import { parseListIndex } from "./ListIndex.ts"

describe("the name of an index of a list", () => {
  it("names a list with a time or a metadata key, which may have dots", () => {
    assert.deepStrictEqual(parseListIndex("orders.createdAt"), { kind: "orders", time: "createdAt" })
    assert.deepStrictEqual(parseListIndex("pets.metadata.chip.id"), { kind: "pets", key: "chip.id" })
    assert.deepStrictEqual(parseListIndex("events.subject"), { kind: "events" })
    assert.deepStrictEqual(parseListIndex("inventory.available"), { kind: "inventory" })
  })

  for (const name of [
    "",
    "pets",
    "pets.colour",
    "pets.colour.chip",
    "pets.metadata",
    "pets.createdAt.chip",
    "shops.createdAt"
  ]) {
    it(`is not ${JSON.stringify(name)}`, () => assert.isUndefined(parseListIndex(name)))
  }
})
