import { useEffect } from "preact/hooks"
import { mayRead } from "../../api/scopes.ts"
import { RecordFilters, recordQuery } from "../../lists/RecordFilters.tsx"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { wantNames } from "../../live/petNames.ts"
import { go, here, linkTo, route } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Search } from "../../ui/Search.tsx"
import { Empty, NoScopePage } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { number, totalText } from "../../ui/text.ts"
import { OrderDetail } from "./OrderDetail.tsx"
import { hasEnded, type Order, orderTones, stateOf } from "./order.ts"
import { PetName } from "./PetName.tsx"
import { useLiveOrders } from "./useLiveOrders.ts"

const states = [
  { value: "", name: "All" },
  { value: "open", name: "Open" },
  { value: "draft", name: "Draft" },
  { value: "complete", name: "Complete" },
  { value: "cancelled", name: "Cancelled" },
  { value: "expired", name: "Expired" }
] as const

const ended: ReadonlyArray<Column<Order>> = [
  { name: "Why", grow: true, cell: ({ record }) => <span class="clip">{record?.ended?.reason}</span> },
  { name: "By", wide: true, cell: ({ record }) => <span class="mono">{record?.ended?.actor}</span> },
  { name: "Ended", end: true, cell: ({ record }) => <Time at={record?.ended?.at} /> }
]

const columnsOf = (state: string, cancelled: ReadonlySet<number>): ReadonlyArray<Column<Order>> => [
  { name: "Order", cell: (row) => <span class="mono">{row.id}</span> },
  {
    name: "State",
    cell: (row) => {
      const state = cancelled.has(row.id) ? "cancelled" : stateOf(row)
      return <Badge tone={orderTones[state]}>{state}</Badge>
    }
  },
  {
    name: "Pet",
    grow: true,
    cell: (row) => (
      <span class="clip">
        <PetName id={row.petId} />
      </span>
    )
  },
  { name: "Units", end: true, cell: (row) => number(row.quantity) },
  ...(hasEnded(state)
    ? ended
    : [{ name: "Ships", wide: true, end: true, cell: (row: Order) => <Time at={row.shipDate} /> }])
]

const NoOrders = ({ filtered }: { filtered: boolean }) => (
  <Empty icon="orders" title={filtered ? "No order fits" : "No orders yet"}>
    {filtered ? <a href={linkTo("orders")}>Show all orders</a> : "They appear here as they are placed."}
  </Empty>
)

export const Orders = () => {
  const { id, query } = route.value
  const state = query.get("state") ?? ""
  const petId = query.get("pet") ?? ""
  const allowed = mayRead("orders:read") || mayRead("orders:own")
  const recorded = hasEnded(state) ? undefined : recordQuery()
  const list = useList<Order>(allowed ? "/store/orders" : undefined, {
    sort: "-id",
    count: true,
    ...recorded,
    ...(state === "" ? {} : { state }),
    ...(hasEnded(state) ? { include: "record" } : {}),
    ...(/^\d+$/.test(petId) ? { petId } : {})
  })
  const { cancelled, fresh } = useLiveOrders(list, { state, petId, adds: recorded === undefined })
  useReloadSoon(list, 3000, (events) => events.some(({ type }) => type === `order.${route.value.query.get("state")}`))
  const rows = list.rows.value
  useEffect(() => wantNames(rows?.map((row) => row.petId) ?? []), [rows])
  if (!allowed) return <NoScopePage title="Orders" scope="orders:read" />
  return (
    <>
      <PageHead title="Orders">
        {list.total.value !== undefined && <span class="muted">{totalText(list.total.value)}</span>}
      </PageHead>
      <div class="filters">
        <Tabs
          label="State"
          value={state}
          options={states.map((one) => ({ ...one, link: here({ state: one.value, metadata: "" }, null) }))}
        />
        <Search
          label="Id of a pet"
          placeholder="Pet id"
          value={petId}
          onInput={(value) => go(here({ pet: value.trim(), from: "", to: "", metadata: "" }, null), true)}
        />
        {!hasEnded(state) && <RecordFilters kind="orders" beside={["pet"]} />}
      </div>
      <ListCard
        list={list}
        label="Orders, the newest first"
        keyOf={(row) => row.id}
        open={id}
        linkOf={(row) => here({}, row.id)}
        fresh={fresh}
        columns={columnsOf(state, cancelled)}
        empty={<NoOrders filtered={state !== "" || petId !== "" || recorded !== undefined} />}
      />
      {id !== undefined && <OrderDetail key={id} id={id} />}
    </>
  )
}
