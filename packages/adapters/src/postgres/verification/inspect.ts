import type { Row } from "../connection/driver.ts"
import { inSchema } from "../statements/dialect.ts"

// Queries for problems of the database itself, with the column `problem`.
const ofCatalogue = [
  `SELECT 'the index ' || c.relname || ' is invalid' AS problem FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname LIKE 'petstore\\_%' AND NOT (i.indisvalid AND i.indisready)`,
  `SELECT 'the constraint ' || k.conname || ' of ' || c.relname || ' is not validated' AS problem
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname LIKE 'petstore\\_%' AND NOT k.convalidated`,
  `SELECT 'the trigger ' || t.tgname || ' of ' || c.relname || ' is disabled' AS problem FROM pg_catalog.pg_trigger t
    JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname LIKE 'petstore\\_%' AND t.tgenabled = 'D'`
]

const ofTables = [
  `SELECT count(*) || ' events have the id ' || id AS problem FROM petstore_events GROUP BY id HAVING count(*) > 1`,
  `SELECT 'the log ends with event ' || coalesce(max(seq), 0) || ', not with ' || (SELECT last FROM petstore_log_end)
      AS problem
    FROM petstore_events HAVING coalesce(max(seq), 0) IS DISTINCT FROM (SELECT last FROM petstore_log_end)`
]

/** The statements that look for problems in a schema, with their values. */
export const inspections = (schema: string): ReadonlyArray<readonly [text: string, values: ReadonlyArray<string>]> => [
  ...ofCatalogue.map((text) => [text, [schema]] as const),
  ...ofTables.map((text) => [inSchema(schema, text), []] as const)
]

export const problemOf = ({ problem }: Row): string => String(problem)
