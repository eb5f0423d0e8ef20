import { readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"

const root = dirname(dirname(fileURLToPath(import.meta.url)))

const read = (file: string): string => readFileSync(join(root, file), "utf8")

/** The text without indentation, because excerpts may be indented less. */
const flush = (text: string): string => text.replace(/^[ \t]+/gm, "").trim()

/** Blocks whose first line names a file, as in "```ts examples/embed/main.ts". */
const excerpts = readdirSync(join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) =>
    [...read(join("docs", name)).matchAll(/^```\w+ (?!continued\n)(\S+)\n([\s\S]*?)^```$/gm)].map(
      ([, file = "", text = ""]) => ({
        name,
        file,
        text
      })
    )
  )

describe("the excerpts in the documentation", () => {
  it("are found", () => assert.isNotEmpty(excerpts))

  for (const [index, { file, name, text }] of excerpts.entries()) {
    it(`excerpt ${index + 1}, in ${name}, is part of ${file}`, () => {
      assert.include(`\n${flush(read(file))}\n`, `\n${flush(text)}\n`)
    })
  }
})
