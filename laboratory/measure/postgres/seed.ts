// Fills a store by SQL, as the methods would leave it: `verify` finds nothing to complain about.

import { query } from "./server.ts"

const at = "'2026-01-01T00:00:00.000Z'"
const onHand = 1_000_000_000

/**
 * Adds pets with plenty of stock, and orders of them: one open order for each pet in turn. Every 50th pet is sold out,
 * every third held; names repeat, so that lists by name find many.
 */
export const seed = async (
  url: string,
  { pets, orders }: { readonly pets: number; readonly orders: number }
): Promise<void> => {
  const ofPet = `(${orders} / ${pets} + CASE WHEN id <= ${orders % pets} THEN 1 ELSE 0 END)`
  await query(
    url,
    "SET search_path = petstore",
    "SET synchronous_commit = off",
    // Neither references nor triggers are checked, which takes most of the time.
    "SET session_replication_role = replica",
    "BEGIN",
    `INSERT INTO petstore_categories (id, name, name_key, version, created_at, updated_at, deleted) VALUES (1, 'Dogs', 'dogs', 1, ${at}, ${at}, false), (2, 'Cats', 'cats', 1, ${at}, ${at}, false)`,
    `INSERT INTO petstore_pets (id, name, category_id, status, version, on_hand, reserved, held, stock_version, last_movement, created_at, updated_at, deleted)
      SELECT id, CASE WHEN id % 2 = 0 THEN 'Rex' ELSE 'Rex ' || id END, CASE WHEN id % 100 = 0 THEN 2 ELSE 1 END,
        'available', 1, ${onHand}, ${ofPet}, false, 1 + ${ofPet}, 1 + ${ofPet}, ${at}, ${at}, false
      FROM generate_series(1, ${pets}) AS id`,
    `INSERT INTO petstore_orders (id, state, pet_id, quantity, ship_date, version, created_at, updated_at)
      SELECT id, 'open', (id - 1) % ${pets} + 1, 1, NULL, 1, ${at}, ${at} FROM generate_series(1, ${orders}) AS id`,
    `INSERT INTO petstore_movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at)
      SELECT id, 1, 'initial', ${onHand}, 0, NULL::bigint, 'owner', ${at} FROM generate_series(1, ${pets}) AS id
      UNION ALL
      SELECT (id - 1) % ${pets} + 1, 2 + (id - 1) / ${pets}, 'reserved', 0, 1, id, 'owner', ${at} FROM generate_series(1, ${orders}) AS id`,
    `INSERT INTO petstore_events (seq, id, type, subject, timestamp, data)
      SELECT id, 'evt_' || lpad(id::text, 14, '0'), 'pet.deleted', 'pets/' || id, ${at}, '{"id":' || id || '}' FROM generate_series(1, ${pets + orders}) AS id`,
    `UPDATE petstore_log_end SET last = ${pets + orders}`,
    ...["categories", "pets", "orders"].map(
      (table) =>
        `SELECT setval(pg_get_serial_sequence('petstore_${table}', 'id'), (SELECT max(id) FROM petstore_${table}))`
    ),
    "COMMIT",
    "VACUUM (ANALYZE)"
  )
}
