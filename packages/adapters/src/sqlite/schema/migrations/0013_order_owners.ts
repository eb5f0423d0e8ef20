// Who placed an order; nobody if an earlier release did.
export const orderOwners = `
ALTER TABLE petstore_orders ADD COLUMN owner TEXT CHECK (owner <> '');
CREATE INDEX petstore_orders_owner ON petstore_orders (owner, (state = 'complete'), id)
  WHERE state <> 'cancelled' AND owner IS NOT NULL;
CREATE INDEX petstore_orders_owner_pet ON petstore_orders (owner, pet_id, (state = 'complete'), id)
  WHERE state <> 'cancelled' AND owner IS NOT NULL;

DROP TRIGGER petstore_replay_insert_orders;
CREATE TRIGGER petstore_replay_insert_orders INSTEAD OF INSERT ON petstore_replay_orders WHEN NEW.write = 'insert orders'
  BEGIN INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version, owner)
    VALUES (NEW.id, NEW.vals ->> 0, NEW.vals ->> 1, NEW.vals ->> 2, NEW.vals ->> 3, NEW.vals ->> 4, NEW.vals ->> 5); END;
`
