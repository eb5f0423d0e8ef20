import { assert, describe, it } from "vitest"
import { markExtensions } from "./marks.ts"

const deprecation = { announced: "2026-01-01", sunset: "2027-02-03", successor: "/dogs" } as const

describe("the marks of an operation", () => {
  it("given none, when they are published, then nothing is said", () => {
    assert.deepEqual(markExtensions({}), {})
    assert.deepEqual(markExtensions({ tryOut: true }), {})
  })

  it("given beta, when it is published, then every tool is told", () => {
    assert.deepEqual(markExtensions({ stability: "beta" }), {
      "x-stability": "beta",
      "x-stability-level": "beta",
      "x-scalar-stability": "experimental",
      "x-badges": [{ name: "Beta", color: "orange" }]
    })
  })

  it("given experimental, when it is published, then every tool is told", () => {
    assert.deepEqual(markExtensions({ stability: "experimental" }), {
      "x-stability": "experimental",
      "x-stability-level": "alpha",
      "x-scalar-stability": "experimental",
      "x-badges": [{ name: "Experimental", color: "orange" }]
    })
  })

  it("given a deprecation, when it is published, then every tool is told when the operation ends", () => {
    assert.deepEqual(markExtensions({ deprecation }), {
      deprecated: true,
      "x-scalar-stability": "deprecated",
      "x-deprecated-sunset": "2027-02-03",
      "x-sunset": "2027-02-03",
      "x-badges": [{ name: "Sunset 2027-02-03", color: "red" }]
    })
  })

  it("given a deprecated beta operation, when it is published, then both are said, and its end comes first where one must be chosen", () => {
    const marks = markExtensions({ deprecation, stability: "beta" })
    assert.strictEqual(marks["x-stability"], "beta")
    assert.strictEqual(marks["x-scalar-stability"], "deprecated")
    assert.deepEqual(
      marks["x-badges"]?.map(({ name }) => name),
      ["Beta", "Sunset 2027-02-03"]
    )
  })

  it("given an operation that cannot be tried out, when it is published, then every tool is told", () => {
    assert.deepEqual(markExtensions({ tryOut: false }), { "x-hideTryItPanel": true, "x-explorer-enabled": false })
  })
})
