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
  "sqlite/events/EventLogHead.ts": "It asks whether retention has removed an event."
}

const names = [...tables.keys()].flatMap((name) => [name, bareName(name)]).join("|")

/** The name of a table in SQL, or as a text. */
const named = new RegExp(`\\bpetstore_(?:${names})\\b|["'\`](?:${names})["'\`/]`)

const comments = /\/\*.*?\*\/|^\s*\/\/.*?$/gms

const isNaming = (file: string): boolean => named.test(readFileSync(join(sources, file), "utf8").replace(comments, ""))

describe("given the sources of stores in databases", () => {
  const files = globSync("**/*.ts", { cwd: sources }).filter((file) => !/\.test\.ts$|schema\/migrations\//.test(file))

  it("then no other file than these names a table: they know tables by their descriptions", () => {
    assert.isAbove(files.length, 100)
    assert.sameMembers(files.filter(isNaming), Object.keys(exceptions))
  })
})
