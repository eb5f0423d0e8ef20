import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { inOneLine, lineAt, type Mutant } from "./Trial.ts"

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

/** What calls in transactions of the host application must not lack, and what stands there without it. */
const hostGuards: ReadonlyArray<readonly [RegExp, string]> = [
  [/mark: true, (?=statements\b)/g, ""],
  [/if \(Exit\.isFailure\(exit\) \|\| steps\.lost !== undefined\)/g, "if (Exit.isFailure(exit))"],
  [/await steps\.withdraw\(\)(?=\n)/g, "true"],
  [/\.\.\.\(known\.has\(identity\) \? \{\} : \{ database \}\),/g, ""],
  [/\.\.\.\(transaction === undefined \? \{\} : \{ transaction \}\)/g, ""],
  [/(?<=statement\()this\.current(?=\))/g, "undefined"],
  [/connection\.whenSettled\(\(\) => this\.abandon\(\)\)/g, ""],
  [/if \(!\(await this\.abandon\(\)\)\) return Exit\.fail\(unknownError\(cause\)\)/g, ""]
]

const folder = "packages/adapters/src/postgres"
const hostFiles = ["host/CallQueue.ts", "host/CallSteps.ts", "host/HostCall.ts"]
const files = [
  "statements/PostgresSql.ts",
  "commit/claimName.ts",
  "commit/ConnectionTransaction.ts",
  "commit/group/Group.ts",
  "commit/group/GroupStatements.ts",
  "events/appendEvents.ts"
]

/** Each lock, order of locks, and look at the warnings of the server removed; or each of other guards. */
export const statementMutants = (file: string, text: string, removed = guards): ReadonlyArray<Mutant> =>
  removed.flatMap(([pattern, without]) =>
    [...text.matchAll(pattern)].map(({ 0: guard, 1: name = "", index }) => ({
      file,
      line: lineAt(text, index),
      fault: `${inOneLine(guard).trim()} is removed`,
      text: text.slice(0, index) + without.replace("$1", () => name) + text.slice(index + guard.length)
    }))
  )

const mutantsIn = async (
  repository: string,
  names: ReadonlyArray<string>,
  removed: typeof guards
): Promise<ReadonlyArray<Mutant>> => {
  const mutants = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name)
      return statementMutants(file, await readFile(join(repository, file), "utf8"), removed)
    })
  )
  return mutants.flat()
}

/** Every mutant of the statements and commits of the PostgreSQL adapter. */
export const postgresMutants = (repository: string): Promise<ReadonlyArray<Mutant>> =>
  mutantsIn(repository, files, guards)

/** Every mutant of the calls in transactions of the host application. */
export const hostMutants = (repository: string): Promise<ReadonlyArray<Mutant>> =>
  mutantsIn(repository, hostFiles, hostGuards)
