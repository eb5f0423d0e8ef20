import type { PetstoreOptions } from "@petstore/core"
import { quoted } from "../../../src/postgres/statements/dialect.ts"

/** Runs a statement. */
type Run = (text: string) => Promise<{ readonly rows: ReadonlyArray<Readonly<Record<string, unknown>>> }>

/**
 * The statements that empty a schema; only a superuser can remove rows that the triggers keep. Rows are deleted, not truncated: there are few, and new files for each table take
 * longer.
 */
export const textToEmpty = async (run: Run, schema: string): Promise<string> => {
  const literal = `'${schema.replaceAll("'", "''")}'`
  const { rows } = await run(
    `SELECT string_agg(text, '; ') AS text FROM (
       SELECT format('DELETE FROM %I.%I', schemaname, tablename) AS text FROM pg_tables
         WHERE schemaname = ${literal} AND tablename NOT IN ('petstore_migrations', 'petstore_log_end')
       UNION ALL SELECT format('SELECT setval(%L, 1, false)', format('%I.%I', schemaname, sequencename)) FROM pg_sequences
         WHERE schemaname = ${literal}) AS texts`
  )
  return `BEGIN; SET LOCAL session_replication_role = replica; ${rows[0]?.text};
    UPDATE ${quoted(schema)}.petstore_log_end SET last = 0; COMMIT`
}

/** Whether a petstore leaves indexes in its schema that others do not have: the schema is dropped after it. */
export const addsIndexes = ({ indexes, search }: PetstoreOptions): boolean =>
  indexes !== undefined || search !== undefined
