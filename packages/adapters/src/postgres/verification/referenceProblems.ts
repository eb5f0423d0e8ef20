/** Each reference between tables. The server keeps them, but not from those who may turn that off. */
const references = [
  ["pets", "category_id", "categories"],
  ["orders", "pet_id", "pets"],
  ["movements", "pet_id", "pets"],
  ["movements", "order_id", "orders"],
  ["api_keys", "account_id", "accounts"],
  ["parked_events", "consumer", "consumers"]
] as const

/** Queries for rows that refer to a row that does not exist, with the column `problem`. */
export const referenceProblems: ReadonlyArray<string> = references.map(
  ([table, column, parent]) =>
    `SELECT count(*) || ' rows of ${table} refer to rows of ${parent} that do not exist, such as ' || min(child.${column})
      AS problem
    FROM petstore_${table} AS child WHERE child.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM petstore_${parent} AS parent WHERE parent.id = child.${column})
    HAVING count(*) > 0`
)
