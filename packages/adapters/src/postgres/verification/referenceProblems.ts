import { bareName, nameOf, tables } from "../../sql/tableText.ts"

/** Each reference between tables. The server keeps them, but not from those who may turn that off. */
const references = [...tables.values()].flatMap(({ name, references: parents }) =>
  Object.entries(parents).map(([column, parent]) => ({ name, column, parent }))
)

/** Queries for rows that refer to a row that does not exist, with the column `problem`. */
export const referenceProblems: ReadonlyArray<string> = references.map(
  ({ column, name, parent }) =>
    `SELECT count(*) || ' rows of ${bareName(name)} refer to rows of ${bareName(parent)} that do not exist, such as ' || min(child.${column})
      AS problem
    FROM ${nameOf({ name })} AS child WHERE child.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${nameOf({ name: parent })} AS parent WHERE parent.id = child.${column})
    HAVING count(*) > 0`
)
