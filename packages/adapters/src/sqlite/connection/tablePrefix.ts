/** What the names of all tables, indexes and triggers begin with, if the options say nothing else. */
export const defaultPrefix = "petstore_"

/** A statement of this package, for a store whose names begin with this. They appear in statements as names alone. */
export const withPrefix = (prefix: string, sql: string): string =>
  prefix === defaultPrefix ? sql : sql.replaceAll(defaultPrefix, prefix)

/** Whether names can begin with this. */
export const isPrefix = (prefix: unknown): prefix is string =>
  typeof prefix === "string" && /^(?!sqlite_)[a-z][a-z0-9_]{0,29}$/.test(prefix)
