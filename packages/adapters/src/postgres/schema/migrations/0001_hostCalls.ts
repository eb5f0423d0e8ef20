/**
 * What calls in transactions of the host application need in the schema: a marker row whose reference can never hold, so that
 * COMMIT fails while the row exists, and a function that runs the statements of one step of a call, unless the transaction
 * is another one than that of the step before. The setting `petstore.call` identifies the transaction, the call that runs in
 * it and its last step; COMMIT and ROLLBACK reset it, and so does ROLLBACK TO a savepoint from before.
 */
export const hostCalls = `
CREATE TABLE petstore_host_ends (id boolean PRIMARY KEY CHECK (id IS NULL));
CREATE UNLOGGED TABLE petstore_host_calls (
  token text COLLATE "C" PRIMARY KEY,
  until boolean NOT NULL DEFAULT true CONSTRAINT "await each petstore call before COMMIT"
    REFERENCES petstore_host_ends (id) DEFERRABLE INITIALLY DEFERRED
);
CREATE FUNCTION petstore_database() RETURNS text LANGUAGE sql STABLE AS $$
  SELECT concat_ws(' ', system_identifier, (SELECT oid FROM pg_database WHERE datname = current_database()), 'petstore_host_calls'::regclass::oid)
  FROM pg_control_system()
$$;
CREATE FUNCTION petstore_run_statements(statements jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  statement jsonb;
  sql text;
  result json;
  results json[] := '{}';
BEGIN
  FOR statement IN SELECT value FROM jsonb_array_elements(statements) LOOP
    sql := format(statement ->> 'sql', VARIADIC ARRAY(SELECT jsonb_array_elements_text(statement -> 'values')));
    IF (statement ->> 'returns')::boolean THEN
      EXECUTE sql INTO result;
      results := results || result;
    ELSE
      EXECUTE sql;
    END IF;
  END LOOP;
  RETURN array_to_json(results);
END
$$;
CREATE FUNCTION petstore_host_call(call jsonb) RETURNS json LANGUAGE plpgsql SET lock_timeout = '5s' SET bytea_output = 'hex' AS $$
DECLARE
  state text := coalesce(current_setting('petstore.call', true), '');
  tx text := split_part(state, '/', 1);
  token text := call ->> 'token';
  results json := '[]';
  withdrawn boolean;
  code text;
  message text;
BEGIN
  IF call ? 'after' THEN
    IF state <> call ->> 'after' THEN
      withdrawn := split_part(state, '/', 2) = token;
      IF withdrawn THEN
        IF call ? 'marked' THEN DELETE FROM petstore_host_calls AS marker WHERE marker.token = call ->> 'token'; END IF;
        PERFORM set_config('petstore.call', tx || '//', true);
      END IF;
      RETURN json_build_object('ended', true, 'withdrawn', withdrawn);
    END IF;
  ELSE
    IF call ? 'database' AND call ->> 'database' <> petstore_database() THEN
      RETURN json_build_object('database', current_database());
    ELSIF current_setting('transaction_isolation') <> 'read committed' THEN
      RETURN json_build_object('isolation', current_setting('transaction_isolation'));
    ELSIF call ? 'transaction' AND tx <> call ->> 'transaction' THEN
      RETURN json_build_object('ended', true);
    ELSIF split_part(state, '/', 2) <> '' THEN
      RETURN json_build_object('occupied', tx);
    ELSIF tx = '' THEN
      tx := token;
    END IF;
  END IF;
  PERFORM set_config('lock_timeout', call ->> 'lockTimeout', true);
  BEGIN
    IF call ? 'mark' THEN INSERT INTO petstore_host_calls (token) VALUES (call ->> 'token'); END IF;
    IF call ? 'statements' THEN results := petstore_run_statements(call -> 'statements'); END IF;
    IF call ? 'trial' THEN
      BEGIN
        results := petstore_run_statements(call -> 'trial');
        RAISE EXCEPTION USING ERRCODE = 'PSUND';
      EXCEPTION WHEN SQLSTATE 'PSUND' THEN NULL;
      END;
    END IF;
    IF call ? 'unmark' THEN DELETE FROM petstore_host_calls AS marker WHERE marker.token = call ->> 'token'; END IF;
  EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS code = RETURNED_SQLSTATE, message = MESSAGE_TEXT;
    RETURN json_build_object('failed', json_build_object('code', code, 'message', message));
  END;
  state := concat_ws('/', tx, CASE WHEN call ? 'last' THEN '/' ELSE token || '/' || (call ->> 'step') END);
  PERFORM set_config('petstore.call', state, true);
  RETURN json_build_object('state', state, 'results', results);
END
$$;
`
