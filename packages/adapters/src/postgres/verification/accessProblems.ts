import { accountState, apiKeyState } from "../schema/migrations/0001_initial.ts"

const same = (...fields: ReadonlyArray<number>): string =>
  fields.map((field) => `before ->> ${field} IS NOT DISTINCT FROM state ->> ${field}`).join(" AND ")

/** Queries for differences between accounts and API keys and their log, with the column `problem`. */
export const accessProblems: ReadonlyArray<string> = [
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
