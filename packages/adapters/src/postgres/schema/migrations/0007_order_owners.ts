// Who placed an order; nobody if an earlier release did. Servers of such a release can still place and change orders.
export const orderOwners = `
ALTER TABLE petstore_orders ADD COLUMN owner text COLLATE "C" CONSTRAINT @petstore_orders_owner_check CHECK (owner <> '');
CREATE INDEX @petstore_orders_owner ON petstore_orders (owner, (state = 'complete'), id)
  WHERE state <> 'cancelled' AND owner IS NOT NULL;
CREATE INDEX @petstore_orders_owner_pet ON petstore_orders (owner, pet_id, (state = 'complete'), id)
  WHERE state <> 'cancelled' AND owner IS NOT NULL;
`
