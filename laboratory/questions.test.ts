import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { root } from "../packages/test/support/workspace.ts"
import { common } from "./arguments.ts"
import { questions } from "./questions.ts"

const guides = [
  "README.md",
  "CONTRIBUTING.md",
  ...readdirSync(join(root, "docs")).flatMap((name) => (name.endsWith(".md") ? `docs/${name}` : []))
]

/** The questions that a guide names, with the flags that it gives them: in commands, and in columns of `npm run lab --`. */
const namedIn = (text: string): ReadonlyArray<string> => {
  const commands = [...text.matchAll(/npm run lab -- ([a-z][^`#\n]*)/g)].map(([, command = ""]) => command.trim())
  const tables = text.split("\n\n").filter((part) => /^\|.*`npm run lab --` *\|\n/.test(part))
  const rows = tables.flatMap((table) => table.split("\n").slice(2))
  const cells = rows.flatMap(
    (row) =>
      row
        .split("|")
        .at(-2)
        ?.match(/`[^`]+`/g) ?? []
  )
  return [...commands, ...cells.map((cell) => cell.slice(1, -1)).filter((cell) => !/^(?:npm|petstore) /.test(cell))]
}

describe("given the guides", () => {
  const named = guides.flatMap((path) => namedIn(readFileSync(join(root, path), "utf8")))

  it("then they name only questions of the laboratory, with flags that these have", () => {
    assert.isAbove(named.length, 20)
    const unknown = named.filter((command) => {
      const [name = "", ...flags] = command.split(/ +/).filter((word) => /^(?:--)?[a-z]/.test(word))
      const known = questions[name]
      const hasFlag = (flag: string): boolean =>
        !flag.startsWith("--") ||
        Object.hasOwn(known?.flags ?? {}, flag.slice(2)) ||
        Object.hasOwn(common, flag.slice(2))
      return !["change", "night"].includes(name) && (known === undefined || !flags.every(hasFlag))
    })
    assert.deepStrictEqual(unknown, [])
  })
})

describe("given the table of questions", () => {
  for (const [name, { asks, flags }] of Object.entries(questions)) {
    it(`then ${name} asks something, and has no flag that all have`, () => {
      assert.match(asks, /\?$/)
      assert.notIncludeMembers(Object.keys(flags), Object.keys(common))
    })
  }
})
