import { assert, describe, it } from "@effect/vitest"
import { closest } from "./closest.ts"

const known = ["id", "name", "categoryId", "externalId", "PETSTORE_SECRET_KEY_FILE", "status"]

const meant: Readonly<Record<string, string | undefined>> = {
  nmae: "name",
  names: "name",
  nam: "name",
  category_id: "categoryId",
  CategoryID: "categoryId",
  category: "categoryId",
  statsu: "status",
  SECRET_KEY_FIEL: undefined,
  PETSTORE_SECRET_KEY_FIEL: "PETSTORE_SECRET_KEY_FILE",
  ID: "id",
  of: undefined,
  x: undefined,
  d: undefined,
  "": undefined,
  colour: undefined,
  ["status".repeat(1_000)]: undefined
}

describe("the known name that was meant", () => {
  for (const [name, expected] of Object.entries(meant)) {
    it(`given ${JSON.stringify(name.slice(0, 30))}, then it is ${expected ?? "none"}`, () => {
      assert.strictEqual(closest(name, known), expected)
    })
  }
})
