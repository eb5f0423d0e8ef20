import { accountState, apiKeyState } from "../schema/migrations/0001_initial.ts"

const same = (...fields: ReadonlyArray<number>): string =>
  fields.map((field) => `before ->> ${field} IS state ->> ${field}`).join(" AND ")

/** Queries for differences between accounts and API keys and their log, with the column `problem`. */
export const accessProblems: ReadonlyArray<string> = [
  `WITH
    present AS (
      SELECT 'accounts/' || id AS subject, ${accountState("a")} AS state FROM petstore_accounts AS a
      UNION ALL SELECT 'api-keys/' || id, ${apiKeyState("k")} FROM petstore_api_keys AS k),
    latest AS (SELECT subject, state, max(seq) FROM petstore_access_log GROUP BY subject)
  SELECT coalesce(present.subject, latest.subject) || CASE
      WHEN present.state IS NULL THEN ' is missing'
      WHEN latest.state IS NULL THEN ' is not in the access log'
      ELSE ' differs from the access log' END AS problem
    FROM present FULL JOIN latest USING (subject) WHERE present.state IS NOT latest.state`,
  `SELECT 'the change ' || seq || ' of ' || subject || ' in the access log is impossible' AS problem FROM
    (SELECT seq, subject, state, lag(state) OVER (PARTITION BY subject ORDER BY seq) AS before FROM petstore_access_log)
    WHERE json_array_length(state) <> CASE WHEN subject LIKE 'accounts/%' THEN 3 ELSE 9 END
      OR before IS NOT NULL AND NOT (subject LIKE 'api-keys/%' AND NOT before ->> 5
        AND ${same(0, 1, 2, 3, 4)}
        AND CASE WHEN state ->> 5 THEN ${same(6, 7, 8)} ELSE state ->> 7 IS before ->> 6 END)`,
  `SELECT 'the access log has a gap' AS problem
    FROM (SELECT count(*) AS length, min(seq) AS first, max(seq) AS last FROM petstore_access_log)
    WHERE length > 0 AND (first <> 1 OR last <> length)`
]
