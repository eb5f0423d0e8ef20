import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"

/** What locks in the statements of PostgreSQL, and what stands there without the lock. */
const locks: ReadonlyArray<readonly [RegExp, string]> = [
  [/ ?FOR NO KEY UPDATE/g, ""],
  [/ ?FOR SHARE(?=["`])/g, ""],
  [/pg_catalog\.pg_try_advisory_xact_lock\(pg_catalog\.hashtextextended\(([^,)]*)[^)]*\)\)/g, "($1 IS NOT NULL)"]
]

const folder = "packages/adapters/src/postgres"
const files = ["statements/PostgresSql.ts", "commit/claimName.ts", "commit/group/GroupStatements.ts"]

/** Each lock of a source removed. */
export const statementMutants = (file: string, text: string): ReadonlyArray<Mutant> =>
  locks.flatMap(([pattern, without]) =>
    [...text.matchAll(pattern)].map(({ 0: lock, 1: name = "", index }) => ({
      file,
      line: lineAt(text, index),
      fault: `${inOneLine(lock).trim()} is removed`,
      text: edited(text, [{ start: index, end: index + lock.length, text: without.replace("$1", () => name) }])
    }))
  )

/** Every mutant of the locks in the statements of the PostgreSQL adapter. */
export const postgresMutants = async (repository: string): Promise<ReadonlyArray<Mutant>> => {
  const mutants = await Promise.all(
    files.map(async (name) => {
      const file = join(folder, name)
      return statementMutants(file, await readFile(join(repository, file), "utf8"))
    })
  )
  return mutants.flat()
}
