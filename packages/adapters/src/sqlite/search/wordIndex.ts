import type { OnSchemaStep } from "@petstore/core/ports"
import { storedWords } from "@petstore/core/tables"
import type { Connection } from "../connection/Connection.ts"

/** The beginnings that have rows of their own, by length: those of a longer one are merged before the first is read, however many they are. */
const prefixes = Array.from({ length: 16 }, (_, at) => at + 1).join(" ")

/**
 * An index of words, and the triggers that keep it, also for programs without the option. Words are letters and digits that blanks or
 * ASCII signs separate, so the tokenizer for ASCII finds them as they are.
 */
const parts: ReadonlyArray<readonly [name: string, sql: string]> = [
  [
    "petstore_pets_words",
    `CREATE VIRTUAL TABLE petstore_pets_words
  USING fts5(found, content = '', contentless_delete = 1, prefix = '${prefixes}', tokenize = 'ascii')`
  ],
  [
    "petstore_pets_words_added",
    `CREATE TRIGGER petstore_pets_words_added AFTER INSERT ON petstore_pets WHEN NOT new.deleted
  BEGIN INSERT INTO petstore_pets_words (rowid, found) VALUES (new.id, coalesce(new.words, new.name)); END`
  ],
  [
    "petstore_pets_words_changed",
    `CREATE TRIGGER petstore_pets_words_changed AFTER UPDATE OF name, words, deleted ON petstore_pets
  WHEN new.name IS NOT old.name OR new.words IS NOT old.words OR new.deleted IS NOT old.deleted
  BEGIN
    DELETE FROM petstore_pets_words WHERE rowid = old.id;
    INSERT INTO petstore_pets_words (rowid, found) SELECT new.id, coalesce(new.words, new.name) WHERE NOT new.deleted;
  END`
  ],
  [
    "petstore_pets_words_removed",
    `CREATE TRIGGER petstore_pets_words_removed AFTER DELETE ON petstore_pets
  BEGIN DELETE FROM petstore_pets_words WHERE rowid = old.id; END`
  ]
]

/** Which of the parts a file has in the form that keeps the index. */
const partsIn = (connection: Connection): ReadonlyArray<string> => {
  const select = connection.database.prepare("SELECT sql FROM sqlite_schema WHERE name = ?")
  return parts.flatMap(([name, sql]) =>
    select.get(connection.named(name))?.sql === connection.named(sql) ? [name] : []
  )
}

/** Whether a file has an index of words, whole or in part. */
export const hasWordIndex = (connection: Connection): boolean =>
  connection.database
    .prepare("SELECT 1 FROM sqlite_schema WHERE name IN (?, ?, ?, ?)")
    .get(...parts.map(([name]) => connection.named(name))) !== undefined

export const isWordIndexWhole = (connection: Connection): boolean => partsIn(connection).length === parts.length

/** Pets whose name is not ASCII, or was not. */
export const selectOtherNames =
  "SELECT id, name, words FROM petstore_pets WHERE (words IS NOT NULL OR length(name) <> octet_length(name))"

const updateWords = "UPDATE petstore_pets SET words = ? WHERE id = ?"

const drop = (connection: Connection): void => {
  for (const [name, sql] of parts.toReversed()) {
    const type = sql.startsWith("CREATE TRIGGER") ? "TRIGGER" : "TABLE"
    connection.database.exec(connection.named(`DROP ${type} IF EXISTS ${name}`))
  }
}

/** Pets of a step. */
const stepSize = 10_000

/** Adds all pets to the index. Those of an earlier release have no words yet. */
const fill = (connection: Connection, onStep: OnSchemaStep): void => {
  const prepare = (sql: string) => connection.database.prepare(connection.named(sql))
  const last = Number(prepare("SELECT max(id) AS id FROM petstore_pets").get()?.id)
  const selectEnd = prepare("SELECT max(id) AS id FROM (SELECT id FROM petstore_pets WHERE id > ? ORDER BY id LIMIT ?)")
  const selectOthers = prepare(`${selectOtherNames} AND id > ? AND id <= ?`)
  const update = prepare(updateWords)
  const insert = prepare(
    "INSERT INTO petstore_pets_words (rowid, found) SELECT id, coalesce(words, name) FROM petstore_pets WHERE NOT deleted AND id > ? AND id <= ?"
  )
  for (let after = 0; after < last; ) {
    onStep(`words of ${after} pets indexed`, after / last)
    const end = Number(selectEnd.get(after, stepSize)?.id)
    for (const { id, name, words } of selectOthers.all(after, end)) {
      const expected = storedWords(String(name)) ?? null
      if (words !== expected) update.run(expected, Number(id))
    }
    insert.run(after, end)
    after = end
  }
}

/** Throws if the file lacks the index of words. */
export const requireWordIndex = (connection: Connection): void => {
  if (!isWordIndexWhole(connection))
    throw new Error("it has no index of words. Open it once with migrate: true, or without the option search.")
}

/** Makes the index of words, in one transaction, unless the file has all of it. */
export const buildWordIndex = (connection: Connection, onStep: OnSchemaStep = () => {}): void => {
  if (isWordIndexWhole(connection)) return
  connection.run("BEGIN IMMEDIATE")
  try {
    if (!isWordIndexWhole(connection)) {
      drop(connection)
      const [index, ...triggers] = parts.map(([, sql]) => connection.named(sql))
      connection.database.exec(String(index))
      // Without the triggers, which would add a pet whose words are written.
      fill(connection, onStep)
      for (const trigger of triggers) connection.database.exec(trigger)
    }
    connection.run("COMMIT")
  } catch (cause) {
    connection.rollback()
    throw cause
  }
}
