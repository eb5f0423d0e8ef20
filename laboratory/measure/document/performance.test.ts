import { assert, describe, it } from "vitest"
import type { Measured } from "../measure.ts"
import { checkDocument, filled, rowProblems } from "./performance.ts"

const [title, other] = ["order, 1 connection", "GET a pet"]

const page = `# Performance

<!-- generated: orders -->
<!-- end -->

<!-- generated: rows -->
<!-- end -->

Prose.
`

const measured = (row: Partial<Measured>): Measured => ({
  title,
  label: "",
  peer: "by hand",
  figure: "rate",
  side: 1,
  why: "cold",
  ours: 1234,
  ratio: { low: 0.7, median: 0.75, high: 0.8 },
  rounds: 7,
  disturbed: 0,
  ...row
})

const fill = (text: string, ...rows: ReadonlyArray<Measured>): string => filled(text, rows, "a machine", "2026-01-01")

const lineOf = (text: string, name: string): string | undefined =>
  text.split("\n").find((line) => line.startsWith(`|${name}|`))

it("given docs/performance.md, then its rows are those of the questions", async () => {
  assert.deepStrictEqual(await checkDocument(), [])
})

describe("given a page that is filled", () => {
  const won = measured({ title: other, ratio: { low: 1.1, median: 1.2, high: 1.3 } })
  const once = fill(page, won, measured({}), measured({ peer: "Fastify", ratio: { low: 2, median: 3, high: 4 } }))

  it("then a row has ours, how many times as good as peers it is, and why it loses", () => {
    assert.strictEqual(lineOf(once, title), `|${title}|1,230/s|0.7–**0.75**–0.8*b*|Fastify 2–**3**–4|`)
    assert.include(once, "- **b**: ")
  })

  it("when it has two figures, then the second is named", () => {
    const text = fill(page, measured({}), measured({ figure: "p99", label: "p99", ours: 20 }))
    assert.strictEqual(lineOf(text, title), `|${title}|1,230/s, p99 20 ms|0.7–**0.75**–0.8, p99 0.7–**0.75**–0.8*b*||`)
    assert.include(text, "|1 connection|–|1,230|–|")
  })

  it("then it shows how many orders a second to expect", () => {
    assert.include(once, "|1 connection|–|1,230|–|")
    assert.include(once, "Measured on 2026-01-01, on a machine.")
  })

  it("then rows that lose come first, and no reason stands beside those that win", () => {
    assert.isBelow(once.indexOf(`|${title}|`), once.indexOf(`|${other}|`))
    assert.strictEqual(lineOf(once, other), `|${other}|1,230/s|1.1–**1.2**–1.3||`)
  })

  it("then it has every row, and keeps its prose", () => {
    assert.deepStrictEqual(rowProblems(once), [])
    assert.isTrue(once.endsWith("\nProse.\n"))
  })

  it("when only some rows are measured again, then the others stay", () => {
    const twice = fill(once, measured({ title: other, ours: 99 }))
    assert.strictEqual(lineOf(twice, title), lineOf(once, title))
    assert.include(lineOf(twice, other), "|99/s|")
  })

  it("when a row is renamed, then it is both missing and unknown", () => {
    assert.deepStrictEqual(rowProblems(once.replace(`|${title}|`, "|sing|")), [
      `docs/performance.md lacks the row ${title}`,
      "No question has the row sing of docs/performance.md"
    ])
  })
})
