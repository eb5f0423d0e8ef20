import { blankProblems } from "../../sql/blankProblems.ts"
import { bareName, nameOf, tables } from "../../sql/tableText.ts"
import type { Row } from "../connection/driver.ts"
import type { Parameter } from "../connection/PostgresConnection.ts"
import { accountState, apiKeyState } from "../schema/migrations/0001_initial.ts"
import { migrations } from "../schema/migrations/index.ts"
import { inSchema } from "../statements/dialect.ts"

/** Each reference between tables. The server keeps them, but not from those who may turn that off. */
const references = [...tables.values()].flatMap(({ name, references: parents }) =>
  Object.entries(parents).map(([column, parent]) => ({ name, column, parent }))
)

/** Queries for rows that refer to a row that does not exist, with the column `problem`. */
const referenceProblems: ReadonlyArray<string> = references.map(
  ({ column, name, parent }) =>
    `SELECT count(*) || ' rows of ${bareName(name)} refer to rows of ${bareName(parent)} that do not exist, such as ' || min(child.${column})
      AS problem
    FROM ${nameOf({ name })} AS child WHERE child.${column} IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM ${nameOf({ name: parent })} AS parent WHERE parent.id = child.${column})
    HAVING count(*) > 0`
)

const same = (...fields: ReadonlyArray<number>): string =>
  fields.map((field) => `before ->> ${field} IS NOT DISTINCT FROM state ->> ${field}`).join(" AND ")

/** Queries for differences between accounts and API keys and their log, with the column `problem`. */
const accessProblems: ReadonlyArray<string> = [
  `WITH
    present AS (
      SELECT 'accounts/' || id AS subject, ${accountState("a")}::text AS state FROM petstore_accounts AS a
      UNION ALL SELECT 'api-keys/' || id, ${apiKeyState("k")}::text FROM petstore_api_keys AS k),
    latest AS (
      SELECT DISTINCT ON (subject) subject, state::text AS state FROM petstore_access_log ORDER BY subject, version DESC)
  SELECT coalesce(present.subject, latest.subject) || CASE
      WHEN present.state IS NULL THEN ' is missing'
      WHEN latest.state IS NULL THEN ' is not in the access log'
      ELSE ' differs from the access log' END AS problem
    FROM present FULL JOIN latest USING (subject) WHERE present.state IS DISTINCT FROM latest.state`,
  `SELECT 'the change ' || version || ' of ' || subject || ' in the access log is impossible' AS problem FROM
    (SELECT seq, subject, version, state, lag(state) OVER changes AS before, lag(seq) OVER changes AS seq_before,
      row_number() OVER changes AS place
      FROM petstore_access_log WINDOW changes AS (PARTITION BY subject ORDER BY version)) AS log
    WHERE version <> place OR seq <= seq_before
      OR json_array_length(state) <> CASE WHEN subject LIKE 'accounts/%' THEN 3 ELSE 9 END
      OR before IS NOT NULL AND NOT (subject LIKE 'api-keys/%' AND NOT (before ->> 5)::boolean
        AND ${same(0, 1, 2, 3, 4)}
        AND CASE WHEN (state ->> 5)::boolean THEN ${same(6, 7, 8)} ELSE state ->> 7 IS NOT DISTINCT FROM before ->> 6 END)`
]

// Queries for problems of the database itself, with the column `problem`.
const ofCatalogue = [
  `SELECT 'the index ' || c.relname || ' is invalid' AS problem FROM pg_catalog.pg_index i
    JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname LIKE E'petstore\\\\_%' AND NOT (i.indisvalid AND i.indisready)`,
  `SELECT 'the constraint ' || k.conname || ' of ' || c.relname || ' is not validated' AS problem
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname LIKE E'petstore\\\\_%' AND NOT k.convalidated`,
  `SELECT 'the trigger ' || t.tgname || ' of ' || c.relname || ' is disabled' AS problem FROM pg_catalog.pg_trigger t
    JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND c.relname LIKE E'petstore\\\\_%' AND t.tgenabled = 'D'`
]

const ofTables = [
  `SELECT count(*) || ' events have the id ' || id AS problem FROM petstore_events GROUP BY id HAVING count(*) > 1`,
  `SELECT 'the log ends with event ' || coalesce(max(seq), 0) || ', not with ' || (SELECT last FROM petstore_log_end)
      AS problem
    FROM petstore_events HAVING coalesce(max(seq), 0) IS DISTINCT FROM (SELECT last FROM petstore_log_end)`
]

const time = "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}[.][0-9]{3}Z$"

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
