import { DatabaseSync } from "node:sqlite"
import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { sqlite } from "./sqlite.ts"

/** A value that the types forbid, as callers without types send it. */
const untyped = (value: unknown): never => value as never

describe("given options of a SQLite store", () => {
  const noFile: ReadonlyArray<readonly [unknown, RegExp]> = [
    [undefined, /or the path of a file, not undefined$/],
    [null, /or the path of a file, not null$/],
    [5, /or the path of a file, not 5$/],
    [Promise.resolve("petstore.db"), /or the path of a file, not a promise: await it$/],
    [new URL("file:///petstore.db"), /or the path of a file, not a URL$/],
    [["petstore.db"], /or the path of a file, not an array$/],
    [{}, /needs one of the options file and database, and neither has a value$/],
    [{ file: undefined }, /needs one of the options file and database, and neither has a value$/],
    [{ file: 5 }, /The option file takes the path of a file, such as "petstore\.db", not 5$/],
    [{ filename: "petstore.db" }, /does not know the option filename; it takes file, database/],
    [new DatabaseSync(":memory:"), /takes a connection as an option: write sqlite\(\{ database \}\)$/]
  ]
  for (const [options, message] of noFile) {
    it(`when ${inspect(options, { depth: 0 })} is given, then the error shows it, and what to pass`, () => {
      assert.throws(() => sqlite(untyped(options)), TypeError, message)
    })
  }

  it("when they follow the file, then the error says what to write", () => {
    const make: (...args: ReadonlyArray<never>) => unknown = sqlite
    assert.throws(
      () => make(untyped("petstore.db"), untyped({ migrate: false })),
      TypeError,
      /ignored an object. Write sqlite\({ file, migrate: false }\)/
    )
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
