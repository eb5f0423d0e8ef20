import type pg from "pg"

const selectTables = `SELECT relname AS name FROM pg_catalog.pg_class
  WHERE relnamespace = 'petstore'::regnamespace AND relkind = 'r' AND relname <> 'petstore_migrations' ORDER BY relname`
const selectIdentities = `SELECT table_name AS table, column_name AS column FROM information_schema.columns
  WHERE table_schema = 'petstore' AND is_identity = 'YES' ORDER BY table_name`

const literal = (text: string): string => `'${text.replaceAll("'", "''")}'`

/** The statements that write the rows of the schema `petstore`, as they are: neither triggers nor references look at them. */
export const rowsAsSql = async (client: pg.Client): Promise<string> => {
  const statements = ["SET session_replication_role = replica;"]
  for (const { name } of (await client.query(selectTables)).rows) {
    const table = `petstore.${name}`
    const { rows } = await client.query(`SELECT json_agg(r)::text AS rows FROM ${table} AS r`)
    if (rows[0].rows === null) continue
    // A migration may have written rows.
    statements.push(`DELETE FROM ${table};`)
    statements.push(
      `INSERT INTO ${table} SELECT * FROM json_populate_recordset(NULL::${table}, ${literal(rows[0].rows)});`
    )
  }
  for (const { column, table } of (await client.query(selectIdentities)).rows) {
    const sequence = `pg_get_serial_sequence('petstore.${table}', '${column}')`
    statements.push(`SELECT setval(${sequence}, max(${column})) FROM petstore.${table};`)
  }
  return `${[...statements, "RESET session_replication_role;"].join("\n")}\n`
}
