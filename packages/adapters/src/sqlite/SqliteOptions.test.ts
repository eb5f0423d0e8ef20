import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "./sqlite.ts"

/** A value that the types forbid, as callers without types send it. */
const untyped = (value: unknown): never => value as never

describe("given options of a SQLite store", () => {
  it("when they name no file, then the error shows what to pass", () => {
    for (const options of [undefined, null, {}, 5, { file: 5 }, new URL("file:///petstore.db")]) {
      assert.throws(() => sqlite(untyped(options)), TypeError, /sqlite needs the path of a file, or options/)
    }
  })

  it("when one is misspelt, then the error lists the valid options", () => {
    const options = { file: "petstore.db", locktimeout: 5 }
    assert.throws(
      () => sqlite(untyped(options)),
      TypeError,
      /does not know the option locktimeout; did you mean lockTimeout\? It takes file, database, migrate/
    )
  })

  it("when one has an invalid value, then the error shows which values are valid", () => {
    for (const lockTimeout of ["soon", -1, "-1 seconds", Number.NaN, null, true]) {
      assert.throws(
        () => sqlite(untyped({ file: "petstore.db", lockTimeout })),
        TypeError,
        /lockTimeout takes a duration/
      )
    }
    for (const migrate of ["no", 0, null]) {
      assert.throws(() => sqlite(untyped({ file: "petstore.db", migrate })), TypeError, /migrate takes true or false/)
    }
  })

  it("when all are valid, then they are accepted", () => {
    for (const lockTimeout of [0, 5, "100 millis", Number.POSITIVE_INFINITY] as const) {
      assert.strictEqual(sqlite({ file: "petstore.db", lockTimeout }).name, "sqlite")
    }
    assert.strictEqual(sqlite({ file: "petstore.db", migrate: false, lockTimeout: "1 second" }).name, "sqlite")
  })
})
