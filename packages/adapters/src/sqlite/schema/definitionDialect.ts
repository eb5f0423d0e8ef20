import type { DefinitionDialect } from "../../sql/definition.ts"

/** How the tables of the petstore are created in SQLite. */
export const dialect: DefinitionDialect = {
  types: { integer: "INTEGER", text: "TEXT", boolean: "INTEGER", bytes: "BLOB" },
  id: "INTEGER",
  check: (text) => text,
  boolean: (column) => `${column} IN (0, 1)`,
  // A table without rowids is its own index, which long rows would make slow.
  end: ({ generatesIds, isWide }) => (generatesIds || isWide ? " STRICT" : " STRICT, WITHOUT ROWID")
}
