import { blankProblems } from "../../sql/blankProblems.ts"
import type { Row } from "../connection/driver.ts"
import type { Parameter } from "../connection/PostgresConnection.ts"
import { migrations } from "../schema/migrations/index.ts"
import { inSchema } from "../statements/dialect.ts"
import { accessProblems } from "./accessProblems.ts"
import { referenceProblems } from "./referenceProblems.ts"

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

const time = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$"

// A migration of a newer release may be there too: it is compatible, or the store would not have opened.
const ofMigrations = `SELECT 'the migration ' || known.id || ' is not recorded as it was applied' AS problem
  FROM unnest($1::bigint[], $2::text[], $3::text[]) AS known (id, name, checksum)
  LEFT JOIN petstore_migrations AS applied ON applied.id = known.id
  WHERE applied.name IS DISTINCT FROM known.name OR applied.checksum IS DISTINCT FROM known.checksum
    OR applied.applied_at !~ '${time}'`

/** A statement that looks for problems, with its values. */
type Inspection = readonly [text: string, values: ReadonlyArray<Parameter>]

/** The statements that look for problems in a schema. */
export const inspections = (schema: string): ReadonlyArray<Inspection> => [
  ...ofCatalogue.map((text): Inspection => [text, [schema]]),
  [
    inSchema(schema, ofMigrations),
    [migrations.map(({ id }) => id), migrations.map(({ name }) => name), migrations.map(({ checksum }) => checksum)]
  ],
  ...[...ofTables, ...blankProblems, ...referenceProblems, ...accessProblems].map(
    (text): Inspection => [inSchema(schema, text), []]
  )
]

export const problemOf = ({ problem }: Row): string => String(problem)

/** Whether a difference of the schema keeps the tables from being read. */
export const isLoss = (problem: string): boolean => /^the (?:table|column) .* is missing/.test(problem)
