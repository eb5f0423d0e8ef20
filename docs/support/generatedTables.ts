import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { expect } from "vitest"

/** A Markdown table. */
export const tableOf = (heads: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string>>): string =>
  [heads, heads.map(() => "---"), ...rows]
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |\n`)
    .join("")

/**
 * Compares what a page has between `<!-- generated: NAME -->` and `<!-- end -->` with these tables. To write them into the page, run
 * its test with `-u`, for example `npx vitest run docs/errors.test.ts -u`.
 */
export const expectGenerated = async (page: string, tables: Readonly<Record<string, string>>): Promise<void> => {
  const file = fileURLToPath(new URL(`../${page}.md`, import.meta.url))
  const text = await readFile(file, "utf8")
  const places = [...text.matchAll(/^<!-- generated: (.+) -->$/gm)].map(([, name]) => name)
  expect(places.toSorted()).toEqual(Object.keys(tables).toSorted())
  const generated = text.replace(
    /^(<!-- generated: (.+) -->\n)[\s\S]*?(?=^<!-- end -->$)/gm,
    (_, start: string, name: string) => `${start}\n${tables[name]}\n`
  )
  await expect(generated).toMatchFileSnapshot(file)
}
