// The transaction of an order, written by hand over `pg` on the tables of the adapter: what the product is compared with.
// All variants write the same rows: they lock the pet, insert the order and its movement, update the pet, append two events.
// Their events go to the pending rows and stay there without a number, which is the least that any outbox needs.

import { Client } from "pg"

/** Places an order. */
export type Place = (petId: number) => Promise<unknown>

const tables = '"petstore".petstore_'
const at = "2026-01-01T00:00:00.000Z"
let events = 0
const eventId = (): string => `evt_${events++}`

interface Pet {
  readonly id: number
  readonly on_hand: number
  reserved: number
  stock_version: number
  last_movement: number
}

const petOf = (row: Record<string, unknown>): Pet => ({
  id: Number(row.id),
  on_hand: Number(row.on_hand),
  reserved: Number(row.reserved),
  stock_version: Number(row.stock_version),
  last_movement: Number(row.last_movement)
})

/** Reserves one piece, as the rules of the domain do. */
const reserve = (pet: Pet): void => {
  if (pet.reserved >= pet.on_hand) throw new Error(`Pet ${pet.id} is sold out`)
  pet.reserved++
  pet.stock_version++
  pet.last_movement++
}

const eventsOf = (pet: Pet, orderId: number): ReadonlyArray<ReadonlyArray<string>> => [
  [
    eventId(),
    "order.placed",
    `orders/${orderId}`,
    at,
    JSON.stringify({ id: orderId, petId: pet.id, quantity: 1, complete: false, state: "open", version: 1 })
  ],
  [
    eventId(),
    "inventory.updated",
    `inventory/${pet.id}`,
    at,
    JSON.stringify({
      petId: pet.id,
      onHand: pet.on_hand,
      reserved: pet.reserved,
      available: pet.on_hand - pet.reserved,
      held: false,
      version: pet.stock_version
    })
  ]
]

const statements = {
  lock: `SELECT id, on_hand, reserved, held, stock_version, last_movement FROM ${tables}pets WHERE id = $1 AND NOT deleted FOR NO KEY UPDATE`,
  insertOrder: `INSERT INTO ${tables}orders (state, pet_id, quantity, ship_date, version, created_at, updated_at) VALUES ('open', $1, 1, NULL, 1, '${at}', '${at}') RETURNING id`,
  insertMovement: `INSERT INTO ${tables}movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) VALUES ($1, $2, 'reserved', 0, 1, $3, 'owner', '${at}')`,
  updatePet: `UPDATE ${tables}pets SET reserved = $2, stock_version = $3, last_movement = $4 WHERE id = $1`,
  insertEvent: `INSERT INTO ${tables}pending (id, type, subject, timestamp, data) VALUES ($1, $2, $3, $4, $5)`,
  placeOrder: `WITH pet AS (
      UPDATE ${tables}pets SET reserved = reserved + 1, stock_version = stock_version + 1, last_movement = last_movement + 1
      WHERE id = $1 AND NOT deleted AND NOT held AND on_hand - reserved > 1 RETURNING *
    ), placed AS (
      INSERT INTO ${tables}orders (state, pet_id, quantity, ship_date, version, created_at, updated_at)
      SELECT 'open', id, 1, NULL, 1, '${at}', '${at}' FROM pet RETURNING id
    ), moved AS (
      INSERT INTO ${tables}movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at)
      SELECT pet.id, last_movement, 'reserved', 0, 1, placed.id, 'owner', '${at}' FROM pet, placed
    ), recorded AS (
      INSERT INTO ${tables}pending (id, type, subject, timestamp, data)
      SELECT $2, 'order.placed', 'orders/' || placed.id, '${at}', json_build_object('id', placed.id, 'petId', pet.id,
        'quantity', 1, 'complete', false, 'state', 'open', 'version', 1) FROM pet, placed
      UNION ALL
      SELECT $3, 'inventory.updated', 'inventory/' || id, '${at}', json_build_object('petId', id, 'onHand', on_hand,
        'reserved', reserved, 'available', on_hand - reserved, 'held', false, 'version', stock_version) FROM pet
    ) SELECT id FROM placed`,
  lockAll: `SELECT id, on_hand, reserved, held, stock_version, last_movement FROM ${tables}pets WHERE id = ANY($1::bigint[]) AND NOT deleted ORDER BY id FOR NO KEY UPDATE`,
  nextOrders: `SELECT nextval(pg_get_serial_sequence('${tables}orders', 'id')) AS id FROM generate_series(1, 512)`,
  insertOrders: `INSERT INTO ${tables}orders (id, state, pet_id, quantity, ship_date, version, created_at, updated_at) SELECT id, 'open', pet_id, 1, NULL, 1, '${at}', '${at}' FROM unnest($1::bigint[], $2::bigint[]) AS u (id, pet_id)`,
  insertMovements: `INSERT INTO ${tables}movements (pet_id, seq, kind, delta_on_hand, delta_reserved, order_id, actor, at) SELECT pet_id, seq, 'reserved', 0, 1, order_id, 'owner', '${at}' FROM unnest($1::bigint[], $2::bigint[], $3::bigint[]) AS u (pet_id, seq, order_id)`,
  updatePets: `UPDATE ${tables}pets AS p SET reserved = u.reserved, stock_version = u.stock_version, last_movement = u.last_movement FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[]) AS u (id, reserved, stock_version, last_movement) WHERE p.id = u.id`,
  insertEvents: `INSERT INTO ${tables}pending (id, type, subject, timestamp, data) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])`
} as const

/** A connection that prepares each of the statements by its name. */
class Connection {
  readonly client: Client

  private constructor(client: Client) {
    this.client = client
  }

  /** `pipeline`: sends statements without waiting for the results of those before. */
  static async open(url: string, pipeline = false): Promise<Connection> {
    const client = new Client({ connectionString: url, pipeline })
    await client.connect()
    return new Connection(client)
  }

  async run(name: keyof typeof statements, ...values: ReadonlyArray<unknown>): Promise<Array<Record<string, unknown>>> {
    return (await this.client.query({ name, text: statements[name], values: [...values] })).rows
  }

  async lock(petId: number): Promise<Pet> {
    const [row] = await this.run("lock", petId)
    if (row === undefined) throw new Error(`There is no pet ${petId}`)
    return petOf(row)
  }
}

/** One round trip after the other. */
const placeInteractively = async (connection: Connection, petId: number): Promise<void> => {
  await connection.client.query("BEGIN")
  const pet = await connection.lock(petId)
  reserve(pet)
  const [order] = await connection.run("insertOrder", petId)
  const orderId = Number(order?.id)
  await connection.run("insertMovement", petId, pet.last_movement, orderId)
  await connection.run("updatePet", petId, pet.reserved, pet.stock_version, pet.last_movement)
  for (const event of eventsOf(pet, orderId)) await connection.run("insertEvent", ...event)
  await connection.client.query("COMMIT")
}

/** The whole order in one statement, which is a transaction by itself. */
const placeInOneStatement = async (connection: Connection, petId: number): Promise<void> => {
  const ids = [eventId(), eventId()]
  const [order] = await connection.run("placeOrder", petId, ...ids)
  if (order === undefined) throw new Error(`Pet ${petId} is sold out`)
}

/** Each caller on a connection of a pool with so many. */
const pooled =
  (place: (connection: Connection, petId: number) => Promise<void>) =>
  async (url: string, connections: number): Promise<Place> => {
    const idle = await Promise.all(Array.from({ length: connections }, () => Connection.open(url)))
    const waiting: Array<(connection: Connection) => void> = []
    return async (petId) => {
      const connection = idle.pop() ?? (await new Promise<Connection>((resolve) => waiting.push(resolve)))
      await place(connection, petId)
      const next = waiting.shift()
      if (next === undefined) idle.push(connection)
      else next(connection)
    }
  }

export const interactive = pooled(placeInteractively)
export const inOneStatement = pooled(placeInOneStatement)

interface Waiting {
  readonly petId: number
  readonly resolve: (orderId: number) => void
  readonly reject: (cause: unknown) => void
}

const largestGroup = 64

/** All orders that wait at the same time in one transaction on one connection, each table written by one statement. */
export const groups = async (url: string): Promise<Place> => {
  const connection = await Connection.open(url, true)
  const queue: Array<Waiting> = []
  const ids: Array<number> = []
  let isBusy = false
  const commit = async (members: ReadonlyArray<Waiting>): Promise<void> => {
    const needsIds = ids.length < members.length
    const [, found, fresh] = await Promise.all([
      connection.client.query("BEGIN"),
      connection.run("lockAll", [...new Set(members.map(({ petId }) => petId))]),
      needsIds ? connection.run("nextOrders") : []
    ])
    ids.push(...fresh.map(({ id }) => Number(id)))
    const pets = new Map(found.map((row) => [Number(row.id), petOf(row)]))
    const placed = members.map(({ petId }) => {
      const pet = pets.get(petId)
      const orderId = ids.shift()
      if (pet === undefined || orderId === undefined) throw new Error(`There is no pet ${petId}`)
      reserve(pet)
      return { orderId, petId, seq: pet.last_movement, events: eventsOf(pet, orderId) }
    })
    const changed = [...pets.values()]
    const write = (name: keyof typeof statements, rows: ReadonlyArray<ReadonlyArray<unknown>>) =>
      connection.run(name, ...(rows[0] ?? []).map((_, column) => rows.map((row) => row[column])))
    const orders = placed.map(({ orderId, petId }) => [orderId, petId])
    const movements = placed.map(({ orderId, petId, seq }) => [petId, seq, orderId])
    const stock = changed.map(({ id, last_movement, reserved, stock_version }) => [
      id,
      reserved,
      stock_version,
      last_movement
    ])
    const events = placed.flatMap((each) => each.events)
    await Promise.all([
      write("insertOrders", orders),
      write("insertMovements", movements),
      write("updatePets", stock),
      write("insertEvents", events),
      connection.client.query("COMMIT")
    ])
    for (const [index, { orderId }] of placed.entries()) members[index]?.resolve(orderId)
  }
  const next = (): void => {
    if (isBusy || queue.length === 0) return
    isBusy = true
    setImmediate(() => {
      const members = queue.splice(0, largestGroup)
      commit(members)
        .catch((cause) => {
          for (const { reject } of members) reject(cause)
        })
        .finally(() => {
          isBusy = false
          next()
        })
    })
  }
  return (petId) =>
    new Promise((resolve, reject) => {
      queue.push({ petId, resolve, reject })
      next()
    })
}
