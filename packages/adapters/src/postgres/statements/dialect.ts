import type { ColumnType } from "@petstore/core/kernel"

const prefix = "petstore_"

/** A name as SQL writes it. */
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Puts the schema before the name of each table, function and sequence of a statement, so that no `search_path` matters: poolers do not
 * carry it, and a schema in front can hide tables. The prefix appears in statements only in names.
 */
export const inSchema = (schema: string, sql: string): string =>
  sql.replaceAll(prefix, () => `${quoted(schema)}.${prefix}`)

/** Quotes the bodies of functions so that `$$` in the name of the schema does not end them. */
const withBodiesQuoted = (schema: string, sql: string): string => {
  let tag = "$$"
  while (schema.includes(tag)) tag = `${tag.slice(0, -1)}x$`
  return sql.replaceAll("$$", () => tag)
}

/**
 * The same for the statements of a migration. Names of indexes, triggers and constraints, which have no schema of their own,
 * begin with `@`.
 */
export const definedIn = (schema: string, sql: string): string =>
  withBodiesQuoted(schema, sql).replace(/(['@]?)petstore_/g, (_, before) => {
    if (before === "@") return prefix
    // A name in a text, such as one for regclass.
    return before === "'" ? `'${quoted(schema).replaceAll("'", "''")}.${prefix}` : `${quoted(schema)}.${prefix}`
  })

/**
 * The same with the search of an index of words behind an id. Blocks of ids, which `part` numbers, and the rows in them come in ascending or
 * descending order, so that nothing sorts them. OFFSET 0 has each row looked up as it comes.
 */
export const withQuery = (sql: string, isReversed = false, after = "0"): string =>
  sql.replace(
    /FROM \w+ CROSS JOIN (\w+) WHERE \w+\.rowid = id AND \w+ MATCH \(replace\(\?, ' ', '\* '\) \|\| '\*'\)/g,
    `FROM petstore_word_blocks(${after}, ${isReversed ? -1 : 1}) WITH ORDINALITY AS blocks (block, part)
      CROSS JOIN LATERAL petstore_found_words(?, block, ${isReversed ? -1 : 1}) AS hits (rowid)
      CROSS JOIN LATERAL (SELECT * FROM $1 WHERE id = hits.rowid OFFSET 0) AS pet WHERE TRUE`
  )

/** JSON is kept as text. */
export const withJson = (sql: string): string => sql.replaceAll("metadata ->> ", "metadata::json ->> ")

/**
 * Translates a statement of the folder `sql`: numbered placeholders, no names of indexes, which only SQLite takes, and what
 * only PostgreSQL takes.
 */
export const translated = (schema: string, sql: string): string => {
  let count = 0
  const own = withQuery(sql)
    .replace(/ (?:INDEXED BY \w+|NOT INDEXED)/g, "")
    .replace(/\/\*\+ (.*?) \*\//g, "$1")
  return inSchema(
    schema,
    withJson(own).replace(/\?/g, () => `$${++count}`)
  )
}

export const columnTypes: Readonly<Record<ColumnType, string>> = {
  integer: "bigint",
  text: "text",
  boolean: "boolean",
  bytes: "bytea"
}
