import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "vitest"
import { bareName, tables } from "./tableText.ts"

const sources = join(import.meta.dirname, "..")

/** The files that name a table, and why. */
const exceptions: Readonly<Record<string, string>> = {
  "sql/restore/accessLog.ts":
    "The log of accounts and API keys is one of the database itself, which its triggers write.",
  "postgres/verification/inspect.ts": "It compares that log with what it is about.",
  "sqlite/verification/inspect.ts": "It compares that log with what it is about.",
  "postgres/commit/group/GuessedWrites.ts": "It knows the columns that rise with each change of a row.",
  "sqlite/events/EventLogHead.ts": "It asks whether retention has removed an event.",
  ...Object.fromEntries(
    ["sqlite", "postgres"].flatMap((engine) =>
      ["wordIndex", "wordProblems"].map((file) => [
        `${engine}/search/${file}.ts`,
        "Triggers of the database keep the index of words beside the pets."
      ])
    )
  )
}

const names = [...tables.keys()].flatMap((name) => [name, bareName(name)]).join("|")

/** The names of columns that are no words. */
const columns = [...new Set([...tables.values()].flatMap((table) => Object.keys(table.columns)))]
  .filter((name) => name.includes("_"))
  .join("|")

/** The name of a table in SQL, as a text, or as a member of what has them all; or that of a column. */
const named = new RegExp(
  `\\bpetstore_(?:${names})\\b|["'\`](?:${names})["'\`/]|\\bschema\\.(?:${names})\\b|\\b(?:${columns})\\b`
)

/** An import of a table, in place of all that there are, or of a function. */
const importing = /import (?!\{ (?:schema|storedWords|tableIndexesOf) \} )[^"]* from "@petstore\/core\/tables"/

const comments = /\/\*.*?\*\/|^\s*\/\/.*?$/gms

const isNamingIn = (text: string): boolean => [named, importing].some((form) => form.test(text.replace(comments, "")))

const isNaming = (file: string): boolean => isNamingIn(readFileSync(join(sources, file), "utf8"))

describe("given the sources of stores in databases", () => {
  // A migration that was released is text that never changes; its triggers keep the logs and who may change what.
  const files = globSync("**/*.ts", { cwd: sources }).filter((file) => !/\.test\.ts$|schema\/migrations\//.test(file))

  it("then names of tables and columns are found in every form, and not in comments", () => {
    const texts = [
      'import { type AnyTable, orders } from "@petstore/core/tables"',
      "nameOf(schema.orders)",
      'tableNamed("apiKeys")',
      "`SELECT id FROM petstore_api_keys`",
      "`SELECT on_hand FROM `"
    ]
    assert.deepStrictEqual(
      texts.map(isNamingIn),
      texts.map(() => true)
    )
    assert.isFalse(isNamingIn('import { schema } from "@petstore/core/tables"\n/** Of petstore_orders. */\n// on_hand'))
  })

  it("then no other file than these names a table: they know tables by their descriptions", () => {
    assert.isAbove(files.length, 100)
    assert.sameMembers(files.filter(isNaming), Object.keys(exceptions))
  })
})
