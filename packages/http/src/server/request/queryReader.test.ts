import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { operations } from "../../api/operations.ts"
import { queryReader } from "./argumentReader.ts"

const read = queryReader(operations.find(({ id }) => id === "listPets")?.query)

const value = (query: string) => Result.getOrThrow(read(query))

const paths = (query: string) => {
  const outcome = read(query)
  return Result.isFailure(outcome) ? outcome.failure.map(({ path }) => path) : []
}

describe("the query of a list", () => {
  it("given filters, then they are decoded to their types", () => {
    assert.deepStrictEqual(value(""), {})
    assert.deepStrictEqual(value("limit=5&status=sold&categoryId=9007199254740991"), {
      limit: 5,
      status: "sold",
      categoryId: Number.MAX_SAFE_INTEGER
    })
    assert.deepStrictEqual(value("id=3&id=1&id=3"), { id: [3, 1, 3] })
    assert.deepStrictEqual(value("id=3"), { id: [3] })
    assert.deepStrictEqual(value("name=Tom+%26%20Co&&"), { name: "Tom & Co" })
    assert.deepStrictEqual(value("n%61me=e%CC%81"), { name: "é" })
  })

  it("given whole numbers, then only decimal digits are accepted", () => {
    for (const number of [
      "0",
      "-1",
      "+5",
      "1.5",
      "5.0",
      "1e1",
      "007",
      "0x10",
      "",
      "%20" + "5",
      "5%20",
      "abc",
      "٥",
      "9007199254740992"
    ]) {
      assert.deepStrictEqual(paths(`limit=${number}`), ["/query/limit"], number)
      assert.deepStrictEqual(paths(`id=7&id=${number}`), ["/query/id/1"], number)
    }
    assert.deepStrictEqual(paths("limit=101"), ["/query/limit"])
  })

  it("given parameters that were sent before, together or apart, then they mean the same, and a request cannot change that", () => {
    for (const query of [
      "limit=7&status=sold",
      "status=sold",
      "name=Rex&limit=7",
      "limit=7&name=Rex&status=sold",
      "id=3&limit=7"
    ]) {
      const first = value(query) as Record<string, unknown>
      assert.deepStrictEqual(value(query), first, query)
      Object.assign(first, { limit: 1, id: [] })
      assert.deepStrictEqual(value("limit=7&id=3"), { limit: 7, id: [3] })
    }
    for (let limit = 1; limit <= 100; limit++)
      assert.deepStrictEqual(value(`limit=${limit}&categoryId=${limit}`), { limit, categoryId: limit })
    for (let id = 1; id <= 600; id++) assert.deepStrictEqual(value(`categoryId=${id}`), { categoryId: id })
    for (let n = 0; n < 2; n++) assert.deepStrictEqual(paths("limit=7&status=lost"), ["/query/status"])
  })

  it("given thousands of faults, then the first hundred are reported", () => {
    assert.lengthOf(paths(`${"colour=red&".repeat(1_000)}limit=x`), 100)
  })

  it("given several faults, then all are reported together", () => {
    assert.deepStrictEqual(
      paths("limit=5&limit=6&status=lost&name=%ff&colour=red&name=&categoryId&__proto__=1&a%2Fb~=1").sort(),
      [
        "/query/__proto__",
        "/query/a~1b~0",
        "/query/categoryId",
        "/query/colour",
        "/query/limit",
        "/query/name",
        "/query/name",
        "/query/status"
      ]
    )
  })

  it("given more than 100 ids, then they are rejected", () => {
    const ids = (count: number) => Array.from({ length: count }, (_, index) => `id=${index + 1}`).join("&")
    assert.deepStrictEqual(paths(ids(100)), [])
    assert.deepStrictEqual(paths(ids(101)), ["/query/id"])
  })

  it("given a very long name of an unknown parameter, then the message shows its beginning", () => {
    assert.deepStrictEqual(paths(`${"x".repeat(5_000)}=1`), [`/query/${"x".repeat(100)}…`])
  })

  it("given an operation without parameters, then every parameter is unknown", () => {
    const none = queryReader(undefined)
    assert.isTrue(Result.isSuccess(none("")))
    assert.isTrue(Result.isFailure(none("limit=5")))
  })
})
