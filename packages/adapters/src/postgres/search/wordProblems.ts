import { storedWords } from "@petstore/core/tables"
import type { Read } from "../schema/catalogue.ts"
import { inSchema } from "../statements/dialect.ts"
import { countWrongEntries, selectOtherNames, wordIndexState } from "./wordIndex.ts"

const petsPerStep = 10_000

const selectEnd = `SELECT max(id) AS id FROM (SELECT id FROM petstore_pets WHERE id > $1 ORDER BY id LIMIT ${petsPerStep}) AS next`

/** Pets whose words are not those of their name. Programs of an earlier release, and before an index, wrote none. */
const wrongWords = async (read: Read, schema: string, mayLack: boolean): Promise<ReadonlyArray<string>> => {
  const problems: Array<string> = []
  let after: unknown = 0
  for (;;) {
    const end = (await read(inSchema(schema, selectEnd), [Number(after)])).rows[0]?.id
    if (end === null || end === undefined) return problems
    for (const { id, name, words } of (await read(inSchema(schema, selectOtherNames), [Number(after), Number(end)]))
      .rows) {
      const isRight = words === (storedWords(String(name)) ?? null) || (words === null && mayLack)
      if (!isRight)
        problems.push(`the words of pet ${id} are not those of its name: change its name, and change it back`)
    }
    after = end
  }
}

/** What is wrong with the words by which a search finds pets, and with their index, if there is one. */
export const wordProblems = async (read: Read, schema: string): Promise<ReadonlyArray<string>> => {
  const state = await wordIndexState(read, schema)
  const words = await wrongWords(read, schema, state === "none")
  if (state === "none" || words.length > 0) return words
  if (state === "part")
    return [
      "what keeps the index of words is missing in part: open the petstore with the option search, which builds it again"
    ]
  const wrong = Number((await read(inSchema(schema, countWrongEntries), [])).rows[0]?.wrong)
  return wrong === 0
    ? []
    : [
        `the index of words does not have the names of ${wrong} pets: drop the trigger petstore_pets_words_added, and open the petstore with the option search, which builds it again`
      ]
}
