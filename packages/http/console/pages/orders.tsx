import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { ApiError, call, clock, mayRead, onEvents, petNames, type StoredEvent, wantNames, whyNot } from "../api.ts"
import { useHistory, useList, useOne } from "../list.ts"
import { RecordSection, useRecord } from "../record.tsx"
import { go, here, linkTo, route } from "../router.ts"
import {
  act,
  Badge,
  Button,
  confirm,
  Drawer,
  duration,
  Empty,
  Facts,
  Failed,
  Icon,
  More,
  NoScopePage,
  number,
  Search,
  Section,
  Table,
  Tabs,
  Time,
  type Tone
} from "../ui.tsx"
import { EventDot } from "./events.tsx"

interface Order {
  readonly id: number
  readonly petId?: number
  readonly quantity: number
  readonly shipDate?: string
  readonly complete?: boolean
}

type State = "draft" | "open" | "complete" | "cancelled"
const stateOf = ({ complete, petId }: Order): State =>
  complete === true ? "complete" : petId === undefined ? "draft" : "open"
const tones: Readonly<Record<State, Tone>> = { draft: "idle", open: "info", complete: "ok", cancelled: "bad" }

export const PetName = ({ id }: { id: number | undefined }) =>
  id === undefined ? <span class="muted">none yet</span> : <span>{petNames.value.get(id) ?? `Pet ${id}`}</span>

const minutes = 60_000
const isPlaced = ({ type }: StoredEvent): boolean => type === "order.placed"

const Hold = ({ at, state }: { at: string | undefined; state: State }) => {
  if (state !== "open") return <span class="muted">–</span>
  if (at === undefined) return <>until it is completed or cancelled</>
  const left = (Date.parse(at) - clock.value) / 1000
  return (
    <Badge tone={left < 60 ? "bad" : left < 300 ? "wait" : "info"}>
      {left <= 0 ? "expires now" : `${duration(left)} left`}
    </Badge>
  )
}

const Detail = ({ id, reloadList }: { id: string; reloadList: () => void }) => {
  const order = useOne<Order>(`/store/orders/${id}`)
  const hold = useOne<{ expiresAt: string }>(`/store/orders/${id}/reservation`)
  const record = useRecord(`/store/orders/${id}`)
  const seesEvents = mayRead("events:read") || mayRead("events:orders")
  const history = useHistory(seesEvents ? `orders/${id}` : undefined, isPlaced)
  useEffect(
    () =>
      onEvents((events) => {
        if (!events.some(({ subject }) => subject === `orders/${id}`)) return
        for (const one of [order, hold, record]) one.reload()
      }),
    [id]
  )
  const value = order.value
  useEffect(() => wantNames([value?.petId]), [value?.petId])
  const close = here({}, null)
  // What became of an order that is no more, as its last event says.
  const last = history.events.find(({ type }) => type === "order.cancelled" || type === "order.expired")
  const gone = order.error instanceof ApiError && order.error.status === 404
  const state: State = value === undefined ? "cancelled" : stateOf(value)
  const change = <A,>(action: () => Promise<A>, done: string) =>
    act(done, action, {
      always: () => {
        order.reload()
        hold.reload()
        reloadList()
      }
    })
  const complete = async (): Promise<void> => {
    const yes = await confirm({
      title: `Complete order ${id}?`,
      text: "Its units leave the stock. A complete order cannot be changed or cancelled.",
      yes: "Complete it"
    })
    if (yes)
      await change(
        () => call("PATCH", `/store/orders/${id}`, { body: { complete: true }, ifMatch: order.etag, idempotent: true }),
        `Order ${id} is complete`
      )
  }
  const cancel = async (): Promise<void> => {
    const yes = await confirm({
      title: `Cancel order ${id}?`,
      text: "Its units are free for others at once. This cannot be undone: the customer has to order again.",
      yes: "Cancel the order",
      danger: true
    })
    if (yes)
      await change(
        () => call("DELETE", `/store/orders/${id}`, { ifMatch: order.etag, idempotent: true }),
        `Order ${id} is cancelled`
      )
  }
  const extend = (): Promise<boolean> => {
    const left = Math.max(0, Date.parse(hold.value?.expiresAt ?? "") - Date.now()) || 0
    return change(
      () =>
        call("PUT", `/store/orders/${id}/reservation`, {
          query: { reserveFor: Math.round(left + 15 * minutes) },
          ifMatch: hold.etag,
          idempotent: true
        }),
      `Order ${id} holds its units 15 minutes longer`
    )
  }
  return (
    <Drawer
      kicker={`Order ${id}`}
      close={close}
      title={
        value === undefined ? (
          `Order ${id}`
        ) : (
          <>
            {number(value.quantity)} × <PetName id={value.petId} />
          </>
        )
      }
      actions={
        value === undefined || state === "complete" ? undefined : (
          <>
            {state === "open" && (
              <Button kind="primary" blocked={whyNot("orders:fulfil")} onClick={complete}>
                Complete
              </Button>
            )}
            {state === "open" && (
              <Button blocked={whyNot("orders:write")} onClick={extend}>
                Hold 15 min longer
              </Button>
            )}
            <Button kind="danger" blocked={whyNot("orders:write")} onClick={cancel}>
              Cancel order
            </Button>
          </>
        )
      }
    >
      {order.error !== undefined && !gone ? (
        <Failed error={order.error} retry={order.reload} />
      ) : (
        <>
          {gone && (
            <p class="notice bad">
              <Icon name="alert" size={16} />
              {last === undefined
                ? "There is no such order: it was cancelled, it expired, or there never was one."
                : `This order ${last.type === "order.expired" ? "expired" : "was cancelled"}. What is left of it are its events.`}
            </p>
          )}
          {value !== undefined && (
            <Facts
              of={[
                ["State", <Badge tone={tones[state]}>{state}</Badge>],
                [
                  "Pet",
                  value.petId === undefined ? undefined : (
                    <a href={linkTo("pets", value.petId)}>
                      <PetName id={value.petId} />
                    </a>
                  )
                ],
                ["Units", number(value.quantity)],
                ["Holds them", <Hold at={hold.value?.expiresAt} state={state} />],
                ["Ships", value.shipDate === undefined ? undefined : <Time at={value.shipDate} />],
                ["Placed", <Time at={record.value?.createdAt} />],
                [
                  "External id",
                  record.value?.externalId === undefined ? undefined : <code>{record.value.externalId}</code>
                ]
              ]}
            />
          )}
          {seesEvents && (
            <Section title="History">
              <ol class="timeline">
                {history.events.map((event) => (
                  <li key={event.seq}>
                    <EventDot type={event.type} />
                    <a href={linkTo("events", event.seq)}>{event.type.replace("order.", "").replaceAll("_", " ")}</a>
                    <Time at={event.timestamp} />
                  </li>
                ))}
              </ol>
              {history.looking && <p class="muted small">Looking through the log…</p>}
              {history.further !== undefined && (
                <Button kind="quiet" onClick={history.further}>
                  Look further back
                </Button>
              )}
            </Section>
          )}
          <RecordSection path={`/store/orders/${id}`} record={record} scope="orders:write" />
        </>
      )}
    </Drawer>
  )
}

const states = [
  { value: "", name: "All" },
  { value: "open", name: "Open" },
  { value: "draft", name: "Draft" },
  { value: "complete", name: "Complete" }
] as const

export const Orders = () => {
  const { id, query } = route.value
  const state = query.get("state") ?? ""
  const petId = query.get("pet") ?? ""
  const allowed = mayRead("orders:read") || mayRead("orders:own")
  const list = useList<Order>(allowed ? "/store/orders" : undefined, {
    sort: "-id",
    count: true,
    ...(state === "" ? {} : { state }),
    ...(/^\d+$/.test(petId) ? { petId } : {})
  })
  const fresh = useSignal<ReadonlyMap<number, number>>(new Map())
  const cancelled = useSignal<ReadonlySet<number>>(new Set())
  // The events have the orders as they are now: the list follows them without asking.
  useEffect(
    () =>
      onEvents((events) => {
        let rows = list.rows.value
        if (rows === undefined) return
        const marks = new Map(fresh.value)
        const before = rows
        for (const { data, subject, type } of events) {
          if (!type.startsWith("order.") || type === "order.record_updated") continue
          const orderId = Number(subject.slice(7))
          if (type === "order.cancelled" || type === "order.expired") {
            if (rows.some((row) => row.id === orderId)) {
              cancelled.value = new Set([...cancelled.value, orderId])
              marks.set(orderId, Date.now())
            }
            continue
          }
          // Their data are the order.
          const order = data as Order
          const fits = (state === "" || stateOf(order) === state) && (petId === "" || String(order.petId) === petId)
          const known = rows.some((row) => row.id === orderId)
          if (known)
            rows = fits
              ? rows.map((row) => (row.id === orderId ? order : row))
              : rows.filter((row) => row.id !== orderId)
          else if (fits && orderId > (rows[0]?.id ?? 0)) rows = [order, ...rows].slice(0, 500)
          else continue
          marks.set(orderId, Date.now())
        }
        if (rows !== before) list.rows.value = rows
        fresh.value = new Map([...marks].filter(([, at]) => Date.now() - at < 1500))
      }),
    [state, petId]
  )
  const rows = list.rows.value
  useEffect(() => wantNames(rows?.map((row) => row.petId) ?? []), [rows])
  if (!allowed) {
    return <NoScopePage title="Orders" scope="orders:read" />
  }
  return (
    <>
      <header class="page-head">
        <h1>Orders</h1>
        {list.total.value !== undefined && <span class="muted">{list.total.value}</span>}
      </header>
      <div class="filters">
        <Tabs
          label="State"
          value={state}
          options={states.map((one) => ({ ...one, link: here({ state: one.value }, null) }))}
        />
        <Search
          label="Id of a pet"
          placeholder="Pet id"
          value={petId}
          onInput={(value) => go(here({ pet: value.trim() }, null), true)}
        />
      </div>
      <section class="card table-card">
        {list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : rows?.length === 0 ? (
          <Empty icon="orders" title={state === "" && petId === "" ? "No orders yet" : "No order fits"}>
            {state === "" && petId === "" ? (
              "They appear here as they are placed."
            ) : (
              <a href={linkTo("orders")}>Show all orders</a>
            )}
          </Empty>
        ) : (
          <Table
            label="Orders, the newest first"
            rows={rows}
            keyOf={(row) => row.id}
            open={id}
            linkOf={(row) => here({}, row.id)}
            fresh={new Set(fresh.value.keys())}
            columns={[
              { name: "Order", cell: (row) => <span class="mono">{row.id}</span> },
              {
                name: "State",
                cell: (row) => {
                  const now = cancelled.value.has(row.id) ? "cancelled" : stateOf(row)
                  return <Badge tone={tones[now]}>{now}</Badge>
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
              { name: "Ships", wide: true, end: true, cell: (row) => <Time at={row.shipDate} /> }
            ]}
          />
        )}
        <More list={list} />
      </section>
      {id !== undefined && <Detail key={id} id={id} reloadList={() => {}} />}
    </>
  )
}
