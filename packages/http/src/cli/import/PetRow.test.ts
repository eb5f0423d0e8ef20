import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { parseReading, type ReadingFlags } from "./ImportSettings.ts"
import { readPetRow } from "./PetRow.ts"
import type { SourceRow, Values } from "./SourceRow.ts"

const columns = ["name=animal_name", "category=species"]

const reading = (values: Values, flags: ReadingFlags = {}): unknown =>
  Result.merge(readPetRow({ line: 2, bytes: Buffer.of(), isCsv: true, values }, parseReading({ columns, ...flags })))

describe("a row", () => {
  for (const [name, [values, expected]] of Object.entries<readonly [Record<string, unknown>, unknown]>({
    "a name and a category": [
      { name: " Tom ", category: "Cat" },
      { name: "Tom", category: "Cat" }
    ],
    "a status": [
      { name: "Tom", category: "Cat", status: "pending" },
      { name: "Tom", category: "Cat", status: "pending" }
    ],
    "units of an available pet": [
      { name: "Tom", category: "Cat", status: "available", quantity: 7 },
      { name: "Tom", category: "Cat", status: "available", quantity: 7 }
    ],
    "units of a pet on hold": [
      { name: "Tom", category: "Cat", status: "pending", quantity: 7 },
      { name: "Tom", category: "Cat", status: "pending", quantity: 7 }
    ],
    "no units of a sold pet": [
      { name: "Tom", category: "Cat", status: "sold", quantity: 0 },
      { name: "Tom", category: "Cat", status: "sold", quantity: 0 }
    ],
    "no units and no status": [
      { name: "Tom", category: "Cat", quantity: 0 },
      { name: "Tom", category: "Cat", quantity: 0 }
    ],
    "no name": [{ name: undefined, category: "Cat" }, "animal_name is empty"],
    "neither name nor category": [{}, "animal_name is empty; species is empty"],
    "a name that is too long": [
      { name: "x".repeat(201), category: "Cat" },
      "animal_name: Expected at most 200 characters"
    ],
    "a control character": [
      { name: "a\u0000", category: "Cat" },
      "animal_name: Expected no control characters and none that change the direction of text"
    ],
    "a number for a name": [{ name: 5, category: "Cat" }, "animal_name: Expected a string"],
    "an unknown status": [
      { name: "Tom", category: "Cat", status: "lost" },
      'status: Expected "available", "pending" or "sold", not "lost"; map it with --map-status'
    ],
    "text for a quantity": [
      { name: "Tom", category: "Cat", quantity: "many" },
      "quantity: Expected a whole number from 0 to 2147483647"
    ],
    "a quantity that is too large": [
      { name: "Tom", category: "Cat", quantity: 2_147_483_648 },
      "quantity: Expected a whole number from 0 to 2147483647"
    ],
    "no units of an available pet": [
      { name: "Tom", category: "Cat", status: "available", quantity: 0 },
      "a pet with the status available cannot have the quantity 0"
    ],
    "units of a sold pet": [
      { name: "Tom", category: "Cat", status: "sold", quantity: 1 },
      "a pet with the status sold cannot have the quantity 1"
    ]
  })) {
    it(`given ${name}, then it is ${typeof expected === "string" ? "rejected with the reason" : "a pet"}`, () => {
      assert.deepStrictEqual(reading(values), expected)
    })
  }

  it("given --default-name, then only a row without a name has it", () => {
    const flags = { defaultName: " Unnamed " }
    assert.deepStrictEqual(reading({ category: "Cat" }, flags), { name: "Unnamed", category: "Cat" })
    assert.deepStrictEqual(reading({ name: "Tom", category: "Cat" }, flags), { name: "Tom", category: "Cat" })
    assert.strictEqual(reading({}, flags), "species is empty")
  })

  it("given --map-status, then the texts stand for statuses, and statuses for themselves", () => {
    const flags = { statuses: ["Adopted=sold", "a=b=pending", "=available", "true=sold"] }
    const statusOf = (status: unknown) => {
      const pet = reading({ name: "Tom", category: "Cat", status }, flags)
      return typeof pet === "object" && pet !== null && "status" in pet ? pet.status : pet
    }
    assert.deepStrictEqual(["Adopted", "a=b", undefined, true, "sold"].map(statusOf), [
      "sold",
      "pending",
      "available",
      "sold",
      "sold"
    ])
    assert.strictEqual(
      statusOf("adopted"),
      'status: Expected "available", "pending" or "sold", not "adopted"; map it with --map-status'
    )
  })

  it("given a row that could not be read, then that is the reason", () => {
    const row: SourceRow = { line: 2, bytes: Buffer.of(), isCsv: true, problem: "it is not UTF-8" }
    assert.deepStrictEqual(readPetRow(row, parseReading({})), Result.fail("it is not UTF-8"))
  })
})
