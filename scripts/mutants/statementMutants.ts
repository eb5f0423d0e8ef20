import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"

/** What the statements and commits of PostgreSQL must not lack, and what stands there without it. */
const guards: ReadonlyArray<readonly [RegExp, string]> = [
  [/ ?FOR NO KEY UPDATE/g, ""],
  [/ ?FOR SHARE(?=["`])/g, ""],
  [/\s*FOR UPDATE(?: SKIP LOCKED)?/g, ""],
  [/ SKIP LOCKED(?=[)"])/g, ""],
  [/ ORDER BY id(?= (?:FOR|\$\{strength\}))/g, ""],
  [/(?<=const warning = )(?:this\.)?connection\.takeWarning\(\)/g, "undefined"],
  [/pg_catalog\.pg_try_advisory_xact_lock\(pg_catalog\.hashtextextended\(([^,)]*)[^)]*\)\)/g, "($1::text IS NOT NULL)"]
]

const folder = "packages/adapters/src/postgres"
const files = [
  "statements/PostgresSql.ts",
  "commit/claimName.ts",
  "commit/ConnectionTransaction.ts",
  "commit/group/Group.ts",
  "commit/group/GroupStatements.ts",
  "events/appendEvents.ts"
]

/** Each lock, order of locks, and look at the warnings of the server removed. */
export const statementMutants = (file: string, text: string): ReadonlyArray<Mutant> =>
  guards.flatMap(([pattern, without]) =>
    [...text.matchAll(pattern)].map(({ 0: guard, 1: name = "", index }) => ({
      file,
      line: lineAt(text, index),
      fault: `${inOneLine(guard).trim()} is removed`,
      text: edited(text, [{ start: index, end: index + guard.length, text: without.replace("$1", () => name) }])
    }))
  )

/** Every mutant of the statements and commits of the PostgreSQL adapter. */
export const postgresMutants = async (repository: string): Promise<ReadonlyArray<Mutant>> => {
  const mutants = await Promise.all(
    files.map(async (name) => {
      const file = join(folder, name)
      return statementMutants(file, await readFile(join(repository, file), "utf8"))
    })
  )
  return mutants.flat()
}
