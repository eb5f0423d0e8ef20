import { readFile } from "node:fs/promises"
import { openApiDocument } from "@petstore/http/openapi"
import { assert, describe, it } from "vitest"

const text = await readFile(new URL("./openapi.md", import.meta.url), "utf8")
const { components, paths } = openApiDocument()

// The schemas of the specification, with their fields.
const specified: { readonly [shape: string]: ReadonlyArray<string> } = {
  PetStatus: [],
  NewPet: ["name", "categoryId", "status"],
  Pet: ["id", "name", "categoryId", "status"],
  Pets: [],
  NewCategory: ["name", "description"],
  Category: ["id", "name", "description"],
  Order: ["id", "petId", "quantity", "shipDate", "complete"],
  InventoryItem: ["petId", "quantity", "status"],
  InventoryUpdate: ["quantity"],
  Error: ["code", "message", "status"]
}

describe("docs/openapi.md", () => {
  it("lists the fields that are added to the specification", () => {
    const listed = [...text.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm)].map(([, shape, field]) => `${shape}.${field}`)
    const added = Object.entries(specified).flatMap(([shape, fields]) =>
      Object.keys(components.schemas[shape]?.properties ?? {})
        .filter((field) => !fields.includes(field))
        .map((field) => `${shape}.${field}`)
    )
    assert.sameMembers(listed, added)
  })

  it("lists the keys for stability and deprecation that are published", () => {
    const [, section = ""] = /^## Stability and deprecation\n([\s\S]*?)^## /m.exec(text) ?? []
    const listed = [...section.matchAll(/`(deprecated|x-[\w-]+)`/g)].map(([, key]) => key)
    const published = Object.values(paths)
      .flatMap(({ delete: remove, get, patch, post }) => [get, post, patch, remove])
      .flatMap((operation) => Object.keys(operation ?? {}))
      .filter((key) => key === "deprecated" || (key.startsWith("x-") && !/scope/.test(key)))
    assert.sameMembers([...new Set(listed)], [...new Set(published)])
  })
})
