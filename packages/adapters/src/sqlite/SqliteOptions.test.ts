import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "./sqlite.ts"

/** A value that the types forbid, as callers without types send it. */
const untyped = (value: unknown): never => value as never

describe("given options of a SQLite store", () => {
  it("when they name no file, then they are rejected with what to give", () => {
    for (const options of [undefined, null, {}, 5, { file: 5 }, new URL("file:///petstore.db")]) {
      assert.throws(() => sqlite(untyped(options)), TypeError, /sqlite needs the path of a file, or options/)
    }
  })

  it("when one is misspelt, then it is rejected, and the known ones are named", () => {
    const options = { file: "petstore.db", locktimeout: 5 }
    assert.throws(
      () => sqlite(untyped(options)),
      TypeError,
      /does not know the option locktimeout; it takes file, database, migrate/
    )
  })

  it("when one has a value that it cannot have, then it is rejected with what it takes", () => {
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

  it("when all are known, then they are taken", () => {
    for (const lockTimeout of [0, 5, "100 millis", Number.POSITIVE_INFINITY] as const) {
      assert.strictEqual(sqlite({ file: "petstore.db", lockTimeout }).name, "sqlite")
    }
    assert.strictEqual(sqlite({ file: "petstore.db", migrate: false, lockTimeout: "1 second" }).name, "sqlite")
  })
})
