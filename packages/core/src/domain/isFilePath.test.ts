import { assert, describe, it } from "@effect/vitest"
import { isFilePath } from "./isFilePath.ts"

describe("the path of a file", () => {
  for (const text of ["petstore.db", "./data/petstore.db", "C:\\petstore.db", "memory", " a"]) {
    it(`may be ${JSON.stringify(text)}`, () => assert.isTrue(isFilePath(text)))
  }

  for (const text of [
    "",
    " ",
    ":memory:",
    "file:petstore.db",
    "sqlite:petstore.db",
    "Postgres://host",
    "https://host"
  ]) {
    it(`is not ${JSON.stringify(text)}`, () => assert.isFalse(isFilePath(text)))
  }
})
