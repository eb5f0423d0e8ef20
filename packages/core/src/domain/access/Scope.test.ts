import { assert, describe, it } from "@effect/vitest"
import { scope, scopes } from "../../../testing/src/arbitraries.ts"
import { allows, presets, Scope } from "./Scope.ts"

const reads = [
  "pets:read",
  "inventory:read",
  "orders:read",
  "messages:read",
  "events:read",
  "webhooks:read",
  "stats:read",
  "consumers:read"
]

describe("the presets", () => {
  const table: { readonly [name in keyof typeof presets]: ReadonlyArray<string> } = {
    read: reads,
    write: [...reads, "pets:write", "inventory:write", "orders:write", "orders:fulfil", "messages:write"],
    admin: ["admin"],
    storefront: ["pets:read", "inventory:read", "orders:read", "orders:write"],
    warehouse: ["pets:read", "inventory:read", "inventory:write", "orders:read", "orders:fulfil"],
    customer: ["pets:read", "inventory:read", "events:inventory", "orders:own"]
  }
  it("are these", () => assert.sameMembers(Object.keys(presets), Object.keys(table)))
  for (const [name, expected] of Object.entries(table)) {
    it(`${name} is ${expected.join(", ")}`, () => {
      assert.sameMembers([...presets[name as keyof typeof presets]], [...expected])
    })
  }
})

describe("a key", () => {
  it("with the scope admin may do everything", () => {
    for (const needed of Scope.literals) assert.isTrue(allows(["admin"], needed))
  })

  it("with no scope may do nothing", () => {
    for (const needed of Scope.literals) assert.isFalse(allows([], needed))
  })

  it("with every scope but one may do all but that one", () => {
    for (const missing of Scope.literals.filter((one) => one !== "admin")) {
      const others = Scope.literals.filter((one) => one !== missing && one !== "admin")
      for (const needed of Scope.literals) assert.strictEqual(allows(others, needed), others.includes(needed), needed)
    }
  })

  it.prop("may do what it has a scope for, and nothing more", { scopes, needed: scope }, ({ needed, scopes: own }) => {
    assert.strictEqual(allows(own, needed), new Set(own).has(needed) || new Set(own).has("admin"))
  })
})
