import { limits } from "../domain/limits.ts"
import { fieldProblem, type OrderContent } from "../domain/orders/Order.ts"
import { type OrderField, type OrderState, orderStates, orderStatesWhere } from "../domain/orders/OrderState.ts"
import { type Condition, columnsOf, isOneOf, query, type Range, table } from "../kernel/Table.ts"
import { type TimePlace, timeIndexes, timeIndexOf, timeRange } from "./TimeOrder.ts"

/** An order as it is stored. */
export interface OrderRecord {
  readonly id: number
  readonly order: OrderContent
  readonly version: number
  readonly createdAt: string
  /** When its last event happened. */
  readonly updatedAt: string
  /** Who placed it, as `orderOwner` writes it; absent if the owner of the store did, or a release that did not record it. Never changes. */
  readonly owner?: string
}

/** Selects orders that are not cancelled, by id or, with `time`, by that and then id. */
export interface OrderQuery {
  readonly petId?: number | undefined
  readonly complete?: boolean | undefined
  readonly state?: OrderState | undefined
  readonly owner?: string | undefined
  /** Only orders behind the one with this id. */
  readonly after: number
  /** Without `petId`. */
  readonly time?: TimePlace | undefined
}

const order = columnsOf<OrderRecord>()

const visible: ReadonlyArray<Condition> = orderStatesWhere((rules) => !rules.visible).map((state) => ({
  column: "state",
  isNot: state
}))
const owned: ReadonlyArray<Condition> = [...visible, { column: "owner", isPresent: true }]

/** What can expire. */
const reserving: ReadonlyArray<Condition> = [
  { column: "state", is: "open" },
  { column: "expires_at", isPresent: true }
]

const columnOf = {
  petId: "pet_id",
  quantity: "quantity",
  shipDate: "ship_date",
  expiresAt: "expires_at"
} satisfies Record<OrderField, string>

const copyOfContent = (content: OrderContent): OrderContent => {
  const { expiresAt, petId, quantity, shipDate, state } = content
  if (petId === undefined || quantity === undefined || expiresAt !== undefined) return { ...content }
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
    expires_at: order.time("order.expiresAt?", ({ order }) => order.expiresAt),
    version: order.integer("version", ({ version }) => version),
    created_at: order.time("createdAt", ({ createdAt }) => createdAt),
    updated_at: order.time("updatedAt", ({ updatedAt }) => updatedAt),
    owner: order.text("owner?", ({ owner }) => owner)
  },
  lockOrder: 2,
  alsoLocks: { column: "pet_id", table: "pets" },
  references: { pet_id: "pets" },
  checks: [
    isOneOf("state", Object.keys(orderStates)),
    `quantity BETWEEN 1 AND ${limits.orderQuantity}`,
    "version >= 1",
    "owner <> ''",
    ...Object.entries(orderStates).flatMap(([state, { absent, required }]) => [
      ...absent.map((field) => `state <> '${state}' OR ${columnOf[field]} IS NULL`),
      ...required.map((field) => `state <> '${state}' OR ${columnOf[field]} IS NOT NULL`)
    ])
  ],
  problemOf: ({ order: content }) => fieldProblem(content),
  copy: ({ createdAt, id, order: content, owner, updatedAt, version }) =>
    owner === undefined
      ? { id, order: copyOfContent(content), version, createdAt, updatedAt }
      : { id, order: copyOfContent(content), version, createdAt, updatedAt, owner },
  live: visible,
  indexes: {
    state: { equal: ["state"], order: ["id"], where: visible },
    pet: { equal: ["pet_id", "state"], order: ["id"], where: visible },
    owner: { equal: ["owner", "state"], order: ["id"], where: owned },
    owner_pet: { equal: ["owner", "pet_id", "state"], order: ["id"], where: owned },
    expiry: { order: ["expires_at", "id"], where: reserving },
    pet_expiry: { equal: ["pet_id"], order: ["expires_at", "id"], where: reserving },
    ...timeIndexes({
      state: { equal: ["state"], where: visible },
      owner: { equal: ["owner", "state"], where: owned }
    })
  }
})

/** The index of the orders, or of their ends, of an owner and of a pet, as far as they are given. */
export const indexOf = (owner: string | undefined, petId: number | undefined): string =>
  owner === undefined ? (petId === undefined ? "state" : "pet") : petId === undefined ? "owner" : "owner_pet"

/** A list of orders reads one range for each state. Orders with a pet are in none that has no pet. */
const rangesOfOrders = ({ after, complete, owner, petId, state, time }: OrderQuery): ReadonlyArray<Range> => {
  const group = indexOf(owner, petId)
  const index = time === undefined ? group : timeIndexOf(time, group)
  const position = time === undefined ? { after: [after] } : timeRange(time, after)
  const equal = { ...(owner === undefined ? {} : { owner }), ...(petId === undefined ? {} : { pet_id: petId }) }
  const listed = orderStatesWhere(
    (rules) =>
      rules.visible &&
      (complete === undefined || rules.complete === complete) &&
      (petId === undefined || !rules.absent.some((field) => field === "petId"))
  )
  return listed
    .filter((one) => state === undefined || one === state)
    .map((one) => ({ index, equal: { ...equal, state: one }, ...position }))
}

/** Orders that are not cancelled, in ascending id. */
export const ordersBy = query(orders, "ordersBy", rangesOfOrders)

/** The same orders in descending id. */
export const ordersReversedBy = query(orders, "ordersReversedBy", rangesOfOrders, { isReversed: true })

/** The order with this id, if it is this owner's. */
export const orderOf = query(orders, "orderOf", ({ id, owner }: { readonly id: number; readonly owner: string }) => [
  { equal: { id }, also: { owner } }
])

/** The open orders of an owner. One transaction at a time adds to what an owner holds, if the store limits that. */
export const openOrdersOf = query(
  orders,
  "openOrdersOf",
  (owner: string) => [{ index: "owner", equal: { owner, state: "open" } }],
  { isExclusive: true }
)

/** The drafts of an owner. */
export const draftsOf = query(orders, "draftsOf", (owner: string) => [
  { index: "owner", equal: { owner, state: "draft" } }
])

/** The open orders that expire, in the order in which they do. */
export const expiringOrders = query(orders, "expiringOrders", () => [{ index: "expiry" }])

/** Those that expire after a time. */
export const ordersExpiringAfter = query(orders, "ordersExpiringAfter", (time: string) => [
  { index: "expiry", after: [time] }
])

/** Those that are overdue at a time. */
export const overdueOrders = query(orders, "overdueOrders", (now: string) => [{ index: "expiry", to: now }])

/** Those of a pet that are overdue at a time. */
export const overdueOrdersOf = query(
  orders,
  "overdueOrdersOf",
  ({ now, petId }: { readonly petId: number; readonly now: string }) => [
    { index: "pet_expiry", equal: { pet_id: petId }, to: now }
  ]
)
