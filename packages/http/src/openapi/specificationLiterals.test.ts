import { readFileSync } from "node:fs"
import { assert, describe, it } from "vitest"
import { type Section, sections } from "../../test/support/specificationLiterals.ts"

const textOf = (file: string): string | undefined => {
  try {
    return readFileSync(new URL(`../../../../${file}`, import.meta.url), "utf8")
  } catch {
    return undefined
  }
}

const problemOf = (file: string, title: string): string | undefined => {
  const text = textOf(file)
  if (text === undefined) return `there is no file ${file}`
  return title !== "" && text.includes(title) ? undefined : `${file} has no test ${JSON.stringify(title)}`
}

const problemsOf = (all: ReadonlyArray<Section>): ReadonlyArray<string> =>
  all.flatMap(({ literals }) =>
    literals.flatMap(({ operations, tests, text }) =>
      [
        ...(operations.length === 0 ? ["it has no operation"] : []),
        ...tests.flatMap(([file, title]) => problemOf(file, title) ?? [])
      ].map((problem) => `${text}: ${problem}`)
    )
  )

describe("each literal of the specification", () => {
  it("has an operation and a test that exists", () => {
    assert.isAbove(sections.flatMap(({ literals }) => literals).length, 50)
    assert.deepStrictEqual(problemsOf(sections), [])
  })

  it("given no operation, or a test that is gone, then it is reported", () => {
    const at = (test: readonly [string, string], operations: [] | "every operation" = "every operation") =>
      problemsOf([{ heading: "Errors", literals: [{ text: "Says so", operations, tests: [test] }] }])
    const found = ["packages/http/src/openapi/specificationLiterals.test.ts", "has an operation and a test"] as const
    assert.deepStrictEqual(at(found), [])
    assert.deepStrictEqual(at(found, []), ["Says so: it has no operation"])
    assert.deepStrictEqual(at(["none.test.ts", "says so"]), ["Says so: there is no file none.test.ts"])
    // Written in two parts, so that this file does not have it.
    const gone = ["it is", " gone"].join("")
    assert.deepStrictEqual(at([found[0], gone]), [`Says so: ${found[0]} has no test ${JSON.stringify(gone)}`])
  })
})
