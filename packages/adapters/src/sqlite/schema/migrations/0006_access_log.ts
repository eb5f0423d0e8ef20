// The log of accounts and API keys: each row after each change, except for the time of its last use. Triggers write it, so
// that it contains every change, in the transaction of the change.
const account = (row: string): string => `json_array(${row}name, ${row}name_key, ${row}created_at)`

const key = (row: string): string =>
  `json_array(${row}account_id, ${row}name, ${row}scopes, ${row}created_at, ${row}expires_at,
    ${row}revoked, hex(${row}digest), hex(${row}previous_digest), ${row}previous_until)`

export const accessLog = `
CREATE TABLE petstore_access_log (
  seq INTEGER PRIMARY KEY,
  subject TEXT NOT NULL,
  state TEXT NOT NULL CHECK (json_type(state) = 'array')
) STRICT;
INSERT INTO petstore_access_log (subject, state)
  SELECT 'accounts/' || id, ${account("")} FROM petstore_accounts ORDER BY id;
INSERT INTO petstore_access_log (subject, state)
  SELECT 'api-keys/' || id, ${key("")} FROM petstore_api_keys ORDER BY id;

CREATE TRIGGER petstore_access_log_kept BEFORE UPDATE ON petstore_access_log
  BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END;
CREATE TRIGGER petstore_access_log_left BEFORE DELETE ON petstore_access_log
  BEGIN SELECT RAISE(ABORT, 'the access log is append-only'); END;

CREATE TRIGGER petstore_accounts_logged AFTER INSERT ON petstore_accounts
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('accounts/' || NEW.id, ${account("NEW.")}); END;
CREATE TRIGGER petstore_accounts_kept BEFORE UPDATE ON petstore_accounts
  BEGIN SELECT RAISE(ABORT, 'an account never changes'); END;
CREATE TRIGGER petstore_accounts_left BEFORE DELETE ON petstore_accounts
  BEGIN SELECT RAISE(ABORT, 'an account stays'); END;

CREATE TRIGGER petstore_api_keys_logged AFTER INSERT ON petstore_api_keys
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('api-keys/' || NEW.id, ${key("NEW.")}); END;
CREATE TRIGGER petstore_api_keys_changed
  AFTER UPDATE OF id, account_id, name, scopes, created_at, expires_at, digest, previous_digest, previous_until, revoked
  ON petstore_api_keys
  BEGIN INSERT INTO petstore_access_log (subject, state) VALUES ('api-keys/' || NEW.id, ${key("NEW.")}); END;
CREATE TRIGGER petstore_api_keys_ended BEFORE UPDATE ON petstore_api_keys WHEN OLD.revoked AND NOT NEW.revoked
  BEGIN SELECT RAISE(ABORT, 'a revoked API key stays revoked'); END;
CREATE TRIGGER petstore_api_keys_left BEFORE DELETE ON petstore_api_keys
  BEGIN SELECT RAISE(ABORT, 'an API key stays, revoked or not'); END;
`

const same = (...fields: ReadonlyArray<number>): string =>
  fields.map((field) => `before ->> ${field} IS state ->> ${field}`).join(" AND ")

/** Queries for differences between accounts and API keys and their log. */
export const accessProblems = [
  `WITH
    present AS (
      SELECT 'accounts/' || id AS subject, ${account("")} AS state FROM petstore_accounts
      UNION ALL SELECT 'api-keys/' || id, ${key("")} FROM petstore_api_keys),
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
