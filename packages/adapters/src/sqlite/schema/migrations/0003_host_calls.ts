// A call in a transaction of a library of the host has a row in petstore_host_calls. While that row exists, COMMIT fails,
// because it refers to a row that cannot exist. The call writes by one statement: it sets the column of each table to an
// array of what to do there, and triggers replay that. There is a column for each table, because SQLite prepares the
// triggers of the columns that are set.
export const hostCalls = `
CREATE TABLE petstore_host_calls (
  token TEXT NOT NULL PRIMARY KEY CHECK (token <> ''),
  applied INTEGER NOT NULL DEFAULT 0 CHECK (applied IN (0, 1)),
  until TEXT NOT NULL DEFAULT '' CHECK (until = '') REFERENCES petstore_host_calls (token) DEFERRABLE INITIALLY DEFERRED,
  idempotency TEXT CHECK (json_type(idempotency) = 'array'),
  events TEXT CHECK (json_type(events) = 'array'),
  messages TEXT CHECK (json_type(messages) = 'array'),
  api_keys TEXT CHECK (json_type(api_keys) = 'array'),
  accounts TEXT CHECK (json_type(accounts) = 'array'),
  pets TEXT CHECK (json_type(pets) = 'array'),
  movements TEXT CHECK (json_type(movements) = 'array'),
  orders TEXT CHECK (json_type(orders) = 'array'),
  categories TEXT CHECK (json_type(categories) = 'array')
) STRICT, WITHOUT ROWID;
CREATE VIEW petstore_replay_idempotency (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_idempotency AFTER UPDATE OF idempotency ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_idempotency (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.idempotency) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_idempotency INSTEAD OF INSERT ON petstore_replay_idempotency WHEN NEW.write = 'insert idempotency'
  BEGIN INSERT INTO petstore_idempotency (account_id, key, operation, fingerprint, answer, created_at)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, unhex(NEW.vals ->> 3), NEW.vals ->> 4, NEW.vals ->> 5) ON CONFLICT (account_id, key) DO UPDATE SET operation = excluded.operation,
    fingerprint = excluded.fingerprint, answer = excluded.answer, created_at = excluded.created_at; END;
CREATE TRIGGER petstore_replay_delete_idempotency INSTEAD OF INSERT ON petstore_replay_idempotency WHEN NEW.write = 'delete idempotency'
  BEGIN DELETE FROM petstore_idempotency WHERE account_id = NEW.vals ->> 0 AND key = NEW.vals ->> 1; END;

CREATE VIEW petstore_replay_events (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_events AFTER UPDATE OF events ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_events (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.events) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_events INSTEAD OF INSERT ON petstore_replay_events WHEN NEW.write = 'insert events'
  BEGIN INSERT INTO petstore_events (id, type, subject, timestamp, data)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4); END;

CREATE VIEW petstore_replay_messages (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_messages AFTER UPDATE OF messages ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_messages (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.messages) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_messages INSTEAD OF INSERT ON petstore_replay_messages WHEN NEW.write = 'insert messages'
  BEGIN INSERT INTO petstore_messages (id, message, status, created_at)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3); END;

CREATE VIEW petstore_replay_api_keys (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_api_keys AFTER UPDATE OF api_keys ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_api_keys (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.api_keys) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_api_keys INSTEAD OF INSERT ON petstore_replay_api_keys WHEN NEW.write = 'insert api_keys'
  BEGIN INSERT INTO petstore_api_keys (id, account_id, name, scopes, created_at, expires_at, last_used_at, digest, previous_digest, previous_until, revoked)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, unhex(NEW.vals ->> 6), unhex(NEW.vals ->> 7), NEW.vals ->> 8, NEW.vals ->> 9); END;
CREATE TRIGGER petstore_replay_update_api_keys_account_id INSTEAD OF INSERT ON petstore_replay_api_keys WHEN NEW.write = 'update api_keys account_id'
  BEGIN UPDATE petstore_api_keys SET account_id = NEW.vals ->> 0, name = NEW.vals ->> 1, scopes = NEW.vals ->> 2, created_at = NEW.vals ->> 3, expires_at = NEW.vals ->> 4, last_used_at = NEW.vals ->> 5, digest = unhex(NEW.vals ->> 6), previous_digest = unhex(NEW.vals ->> 7), previous_until = NEW.vals ->> 8, revoked = NEW.vals ->> 9
    WHERE id = NEW.vals ->> 10; END;
CREATE TRIGGER petstore_replay_update_api_keys_last_used_at INSTEAD OF INSERT ON petstore_replay_api_keys WHEN NEW.write = 'update api_keys last_used_at'
  BEGIN UPDATE petstore_api_keys SET last_used_at = NEW.vals ->> 0
    WHERE id = NEW.vals ->> 1; END;

CREATE VIEW petstore_replay_accounts (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_accounts AFTER UPDATE OF accounts ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_accounts (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.accounts) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_accounts INSTEAD OF INSERT ON petstore_replay_accounts WHEN NEW.write = 'insert accounts'
  BEGIN INSERT INTO petstore_accounts (id, name, name_key, created_at)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2); END;

CREATE VIEW petstore_replay_pets (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_pets AFTER UPDATE OF pets ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_pets (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.pets) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_pets INSTEAD OF INSERT ON petstore_replay_pets WHEN NEW.write = 'insert pets'
  BEGIN INSERT INTO petstore_pets (id, status, version, on_hand, reserved, held, stock_version, last_movement, name, category_id, deleted)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7, NEW.vals ->> 8, NEW.vals ->> 9); END;
CREATE TRIGGER petstore_replay_update_pets_status INSTEAD OF INSERT ON petstore_replay_pets WHEN NEW.write = 'update pets status'
  BEGIN UPDATE petstore_pets SET status = NEW.vals ->> 0, version = NEW.vals ->> 1, on_hand = NEW.vals ->> 2, reserved = NEW.vals ->> 3, held = NEW.vals ->> 4, stock_version = NEW.vals ->> 5, last_movement = NEW.vals ->> 6, name = NEW.vals ->> 7, category_id = NEW.vals ->> 8, deleted = NEW.vals ->> 9
    WHERE id = NEW.vals ->> 10; END;
CREATE TRIGGER petstore_replay_update_pets_on_hand INSTEAD OF INSERT ON petstore_replay_pets WHEN NEW.write = 'update pets on_hand'
  BEGIN UPDATE petstore_pets SET on_hand = NEW.vals ->> 0, reserved = NEW.vals ->> 1, held = NEW.vals ->> 2, stock_version = NEW.vals ->> 3, last_movement = NEW.vals ->> 4
    WHERE id = NEW.vals ->> 5; END;

CREATE VIEW petstore_replay_movements (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_movements AFTER UPDATE OF movements ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_movements (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.movements) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_movements INSTEAD OF INSERT ON petstore_replay_movements WHEN NEW.write = 'insert movements'
  BEGIN INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at)
    VALUES (NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5, NEW.vals ->> 6, NEW.vals ->> 7); END;

CREATE VIEW petstore_replay_orders (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_orders AFTER UPDATE OF orders ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_orders (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.orders) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_orders INSTEAD OF INSERT ON petstore_replay_orders WHEN NEW.write = 'insert orders'
  BEGIN INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4); END;
CREATE TRIGGER petstore_replay_update_orders_state INSTEAD OF INSERT ON petstore_replay_orders WHEN NEW.write = 'update orders state'
  BEGIN UPDATE petstore_orders SET state = NEW.vals ->> 0, pet_id = NEW.vals ->> 1, quantity = NEW.vals ->> 2, ship_date = NEW.vals ->> 3, version = NEW.vals ->> 4
    WHERE id = NEW.vals ->> 5; END;

CREATE VIEW petstore_replay_categories (write, id, vals) AS SELECT NULL, NULL, NULL WHERE FALSE;
CREATE TRIGGER petstore_host_calls_categories AFTER UPDATE OF categories ON petstore_host_calls
  BEGIN INSERT INTO petstore_replay_categories (write, id, vals)
    SELECT value ->> 0, value ->> 1, value -> 2 FROM json_each(NEW.categories) ORDER BY key; END;
CREATE TRIGGER petstore_replay_insert_categories INSTEAD OF INSERT ON petstore_replay_categories WHEN NEW.write = 'insert categories'
  BEGIN INSERT INTO petstore_categories (id, name, name_key, description, version, deleted)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4); END;
CREATE TRIGGER petstore_replay_update_categories_name INSTEAD OF INSERT ON petstore_replay_categories WHEN NEW.write = 'update categories name'
  BEGIN UPDATE petstore_categories SET name = NEW.vals ->> 0, name_key = NEW.vals ->> 1, description = NEW.vals ->> 2, version = NEW.vals ->> 3, deleted = NEW.vals ->> 4
    WHERE id = NEW.vals ->> 5; END;
`
