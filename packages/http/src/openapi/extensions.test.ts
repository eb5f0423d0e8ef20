import { assert, describe, it } from "vitest"
import { extensionsOf } from "./extensions.ts"

const deprecation = { announced: "2026-01-01", sunset: "2027-02-03", successor: "/dogs" } as const

describe("the extensions of an operation", () => {
  it("given a stable operation, then it has none", () => {
    assert.deepEqual(extensionsOf({ stability: "stable" }), {})
    assert.deepEqual(extensionsOf({ stability: "stable", tryOut: true }), {})
  })

  it("given a beta operation, then it is beta under each name", () => {
    assert.deepEqual(extensionsOf({ stability: "beta" }), {
      "x-stability": "beta",
      "x-stability-level": "beta",
      "x-scalar-stability": "experimental",
      "x-badges": [{ name: "Beta", color: "orange" }]
    })
  })

  it("given an experimental operation, then it is experimental under each name", () => {
    assert.deepEqual(extensionsOf({ stability: "experimental" }), {
      "x-stability": "experimental",
      "x-stability-level": "alpha",
      "x-scalar-stability": "experimental",
      "x-badges": [{ name: "Experimental", color: "orange" }]
    })
  })

  it("given a deprecated operation, then it has its sunset date under each name", () => {
    assert.deepEqual(extensionsOf({ stability: "stable", deprecation }), {
      deprecated: true,
      "x-scalar-stability": "deprecated",
      "x-deprecated-sunset": "2027-02-03",
      "x-sunset": "2027-02-03",
      "x-badges": [{ name: "Sunset 2027-02-03", color: "red" }]
    })
  })

  it("given a deprecated beta operation, then it has both badges, and is deprecated where a tool has one value", () => {
    const extensions = extensionsOf({ deprecation, stability: "beta" })
    assert.strictEqual(extensions["x-stability"], "beta")
    assert.strictEqual(extensions["x-scalar-stability"], "deprecated")
    assert.deepEqual(
      extensions["x-badges"]?.map(({ name }) => name),
      ["Beta", "Sunset 2027-02-03"]
    )
  })

  it("given an operation without try-out, then it is off under each name", () => {
    assert.deepEqual(extensionsOf({ stability: "stable", tryOut: false }), {
      "x-hideTryItPanel": true,
      "x-explorer-enabled": false
    })
  })
})
