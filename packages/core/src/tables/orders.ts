import { IdempotencyInProgress } from "../domain/errors/RequestErrors.ts"
import { readStoredKey, storedKeyOf } from "../domain/IdempotencyKey.ts"
import { limits } from "../domain/limits.ts"
import { AdjustmentReason, type Movement } from "../domain/Movement.ts"
import { fieldProblem, type OrderContent } from "../domain/Order.ts"
import { type OrderField, type OrderState, orderStates, orderStatesWhere } from "../domain/OrderState.ts"
import { type Condition, columnsOf, query, type Range, table } from "../engine/Table.ts"

/** An order as it is stored. */
export interface OrderRecord {
  readonly id: number
  readonly order: OrderContent
  readonly version: number
  /** Who placed it, as `orderOwner` writes it; absent if the owner of the store did, or a release that did not record it. Never changes. */
  readonly owner?: string
}

/** Selects orders that are not cancelled, by id. */
export interface OrderQuery {
  readonly petId?: number | undefined
  readonly complete?: boolean | undefined
  readonly state?: OrderState | undefined
  readonly owner?: string | undefined
  /** Only orders behind the one with this id. */
  readonly after: number
}

/** What an idempotency key of an account was used for, with the result. */
export interface IdempotencyRecord {
  readonly accountId: number
  readonly key: string
  readonly operation: string
  /** SHA-256 of the decoded input. */
  readonly fingerprint: Uint8Array
  /** The stored result, as JSON. */
  readonly result: string
  readonly createdAt: string
}

const order = columnsOf<OrderRecord>()
const movement = columnsOf<Movement>()
const record = columnsOf<IdempotencyRecord>()

const visible: ReadonlyArray<Condition> = orderStatesWhere((rules) => !rules.visible).map((state) => ({
  column: "state",
  isNot: state
}))
const owned: ReadonlyArray<Condition> = [...visible, { column: "owner", isPresent: true }]

const columnOf = { petId: "pet_id", quantity: "quantity", shipDate: "ship_date" } satisfies Record<OrderField, string>

const copyOfContent = (content: OrderContent): OrderContent => {
  const { petId, quantity, shipDate, state } = content
  if (petId === undefined || quantity === undefined) return { ...content }
  return shipDate === undefined ? { state, petId, quantity } : { state, petId, quantity, shipDate }
}

/** The orders. Cancelled ones stay. */
export const orders = table<OrderRecord>("orders", {
  key: ["id"],
  generatesIds: true,
  columns: {
    id: order.integer("id", ({ id }) => id),
    state: order.text("order.state", ({ order }) => order.state),
    pet_id: order.integer("order.petId?", ({ order }) => order.petId),
    quantity: order.integer("order.quantity?", ({ order }) => order.quantity),
    ship_date: order.text("order.shipDate?", ({ order }) => order.shipDate),
    version: order.integer("version", ({ version }) => version),
    owner: order.text("owner?", ({ owner }) => owner)
  },
  lockOrder: 2,
  alsoLocks: { column: "pet_id", table: "pets" },
  references: { pet_id: "pets" },
  checks: [
    `state IN (${Object.keys(orderStates)
      .map((state) => `'${state}'`)
      .join(", ")})`,
    `quantity BETWEEN 1 AND ${limits.orderQuantity}`,
    "version >= 1",
    "owner <> ''",
    ...Object.entries(orderStates).flatMap(([state, { absent, required }]) => [
      ...absent.map((field) => `state <> '${state}' OR ${columnOf[field]} IS NULL`),
      ...required.map((field) => `state <> '${state}' OR ${columnOf[field]} IS NOT NULL`)
    ])
  ],
  problemOf: ({ order: content }) => fieldProblem(content),
  copy: ({ id, order: content, owner, version }) =>
    owner === undefined
      ? { id, order: copyOfContent(content), version }
      : { id, order: copyOfContent(content), version, owner },
  live: visible,
  indexes: {
    state: { equal: ["state"], order: ["id"], where: visible },
    pet: { equal: ["pet_id", "state"], order: ["id"], where: visible },
    owner: { equal: ["owner", "state"], order: ["id"], where: owned },
    owner_pet: { equal: ["owner", "pet_id", "state"], order: ["id"], where: owned }
  }
})

/** A list of orders reads one range for each state. Orders with a pet are in none that has no pet. */
const rangesOfOrders = ({ after, complete, owner, petId, state }: OrderQuery): ReadonlyArray<Range> => {
  const index =
    owner === undefined ? (petId === undefined ? "state" : "pet") : petId === undefined ? "owner" : "owner_pet"
  const equal = { ...(owner === undefined ? {} : { owner }), ...(petId === undefined ? {} : { pet_id: petId }) }
  const listed = orderStatesWhere(
    (rules) =>
      rules.visible &&
      (complete === undefined || rules.complete === complete) &&
      (petId === undefined || !rules.absent.some((field) => field === "petId"))
  )
  return listed
    .filter((one) => state === undefined || one === state)
    .map((one) => ({ index, equal: { ...equal, state: one }, after: [after] }))
}

/** Orders that are not cancelled, in ascending id. */
export const ordersBy = query(orders, "ordersBy", rangesOfOrders)

/** The same orders in descending id. */
export const ordersReversedBy = query(orders, "ordersReversedBy", rangesOfOrders, { isReversed: true })

const adjustments = AdjustmentReason.literals

/** The ledger of the pets' stock. */
export const movements = table<Movement, string>("movements", {
  key: ["pet_id", "seq"],
  keyOf: ({ petId, seq }) => `${String(petId).padStart(16, "0")} ${String(seq).padStart(16, "0")}`,
  keyValues: (key) => key.split(" ").map(Number),
  columns: {
    pet_id: movement.integer("petId", ({ petId }) => petId),
    seq: movement.integer("seq", ({ seq }) => seq),
    kind: movement.text("kind", ({ kind }) => kind),
    delta_on_hand: movement.integer("deltaOnHand", ({ deltaOnHand }) => deltaOnHand),
    delta_reserved: movement.integer("deltaReserved", ({ deltaReserved }) => deltaReserved),
    order_id: movement.integer("orderId?", ({ orderId }) => orderId),
    actor: movement.text("actor", ({ actor }) => actor),
    at: movement.text("at", ({ at }) => at),
    note: movement.text("note?", ({ note }) => note)
  },
  references: { pet_id: "pets", order_id: "orders" },
  checks: [
    "seq >= 1",
    `CASE kind
    WHEN 'initial' THEN delta_on_hand >= 0 AND delta_reserved = 0
    WHEN 'set' THEN delta_reserved = 0
    WHEN 'held' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'unheld' THEN delta_on_hand = 0 AND delta_reserved = 0
    WHEN 'reserved' THEN delta_on_hand = 0 AND delta_reserved >= 0
    WHEN 'unreserved' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'shipped' THEN delta_on_hand <= 0 AND delta_reserved = delta_on_hand
    WHEN 'cancelled' THEN delta_on_hand = 0 AND delta_reserved <= 0
    WHEN 'written_off' THEN delta_on_hand <= 0 AND delta_reserved = 0
    WHEN 'removed' THEN delta_on_hand <= 0 AND delta_reserved = 0
${adjustments.map((reason) => `    WHEN '${reason}' THEN delta_reserved = 0`).join("\n")}
    ELSE FALSE
  END`,
    "note <> ''",
    `note IS NULL OR kind IN (${adjustments.map((reason) => `'${reason}'`).join(", ")})`
  ],
  numberedBy: "pet_id",
  copy: (one) => {
    if (one.note !== undefined) return { ...one }
    const { actor, at, deltaOnHand, deltaReserved, kind, orderId, petId, seq } = one
    return orderId === undefined
      ? { petId, seq, kind, deltaOnHand, deltaReserved, actor, at }
      : { petId, seq, kind, deltaOnHand, deltaReserved, orderId, actor, at }
  }
})

/** The movements of a pet behind one of them. */
export const movementsOf = query(
  movements,
  "movementsOf",
  ({ after, petId }: { readonly petId: number; readonly after: number }) => [
    { equal: { pet_id: petId }, after: [after] }
  ]
)

/** What idempotency keys were used for. The lock of a key keeps others from using it. */
export const idempotencyKeys = table<IdempotencyRecord, string>("idempotency", {
  key: ["account_id", "key"],
  keyOf: storedKeyOf,
  keyValues: (stored) => {
    const { accountId, key } = readStoredKey(stored)
    return [accountId, key]
  },
  existing: "replaced",
  lockOrder: 1,
  busy: () => new IdempotencyInProgress({}),
  columns: {
    account_id: record.integer("accountId"),
    key: record.text("key"),
    operation: record.text("operation"),
    fingerprint: record.bytes("fingerprint"),
    answer: record.text("result"),
    created_at: record.text("createdAt")
  },
  checks: ["length(fingerprint) = 32"],
  indexes: { age: { order: ["created_at"] } }
})
