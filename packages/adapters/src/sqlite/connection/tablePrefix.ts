/** The default prefix of the names of all tables, indexes and triggers. */
export const defaultPrefix = "petstore_"

/** Renames the tables in a statement. The default prefix appears in statements only in names. */
export const withPrefix = (prefix: string, sql: string): string =>
  prefix === defaultPrefix ? sql : sql.replaceAll(defaultPrefix, prefix)

/** Whether a value is a valid prefix. */
export const isPrefix = (prefix: unknown): prefix is string =>
  typeof prefix === "string" && /^(?!sqlite_)[a-z][a-z0-9_]{0,29}$/.test(prefix)
