import { storedWords, wordsOf } from "@petstore/core/tables"
import type { Connection } from "../connection/Connection.ts"
import { hasWordIndex, isWordIndexWhole, selectOtherNames } from "./wordIndex.ts"

const rebuild =
  "drop the trigger petstore_pets_words_added, and open the petstore with the option search, which builds it again"

/** Pets whose words are not those of their name. Programs of an earlier release, and before an index, wrote none. */
const wrongWords = (connection: Connection, mayLack: boolean): ReadonlyArray<string> => {
  const problems: Array<string> = []
  for (const { id, name, words } of connection.database.prepare(connection.named(selectOtherNames)).iterate()) {
    const isRight = words === (storedWords(String(name)) ?? null) || (words === null && mayLack)
    if (!isRight) problems.push(`the words of pet ${id} are not those of its name: change its name, and change it back`)
  }
  return problems
}

/** The words of names, and those that the index has, as one text each. */
const selectPets = "SELECT id, name FROM petstore_pets WHERE NOT deleted ORDER BY id"
const selectIndexed =
  "SELECT doc, group_concat(term, ' ') AS terms FROM temp.petstore_indexed_words GROUP BY doc ORDER BY doc"

const textOf = (words: string): string => [...new Set(wordsOf(words))].sort().join(" ")

/** Pets that the index finds by other words than those of their names. */
const wrongEntries = (connection: Connection): ReadonlyArray<string> => {
  const { database } = connection
  const execute = (sql: string) => database.exec(connection.named(sql))
  execute("CREATE VIRTUAL TABLE temp.petstore_indexed_words USING fts5vocab(main, petstore_pets_words, instance)")
  try {
    const indexed = new Map<unknown, string>()
    for (const { doc, terms } of database.prepare(connection.named(selectIndexed)).iterate())
      indexed.set(doc, textOf(String(terms)))
    let wrong = 0
    for (const { id, name } of database.prepare(connection.named(selectPets)).iterate()) {
      if ((indexed.get(id) ?? "") !== textOf(String(name))) wrong++
      indexed.delete(id)
    }
    wrong += indexed.size
    return wrong === 0 ? [] : [`the index of words does not have the names of ${wrong} pets: ${rebuild}`]
  } finally {
    execute("DROP TABLE temp.petstore_indexed_words")
  }
}

/** What is wrong with the words by which a search finds pets, and with their index, if there is one. */
export const wordProblems = (connection: Connection): ReadonlyArray<string> => {
  const isIndexed = hasWordIndex(connection)
  const words = wrongWords(connection, !isIndexed)
  if (!isIndexed || words.length > 0) return words
  return isWordIndexWhole(connection)
    ? wrongEntries(connection)
    : [
        `what keeps the index of words is missing in part: open the petstore with the option search, which builds it again`
      ]
}
