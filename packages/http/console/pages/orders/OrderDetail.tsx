import type { OrderState, ResourceRecord } from "@petstore/core"
import { useEffect } from "preact/hooks"
import { ApiError } from "../../api/ApiError.ts"
import { whyNot } from "../../api/scopes.ts"
import { type One, useOne } from "../../lists/useOne.ts"
import type { StoredEvent } from "../../live/event.ts"
import { wantNames } from "../../live/petNames.ts"
import { useEventsOf } from "../../live/useEventsOf.ts"
import { here, linkTo } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Drawer } from "../../ui/Drawer.tsx"
import { Facts } from "../../ui/Facts.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { Failed } from "../../ui/states.tsx"
import { clock, Time } from "../../ui/Time.tsx"
import { duration, number } from "../../ui/text.ts"
import { HistorySection, useHistoryOf } from "../HistorySection.tsx"
import { RecordSection, useRecord } from "../RecordSection.tsx"
import { type Order, orderTones, stateOf } from "./order.ts"
import { cancelOrder, completeOrder, holdLonger } from "./orderActions.ts"
import { PetName } from "./PetName.tsx"

const Hold = ({ at, state }: { at: string | undefined; state: OrderState }) => {
  if (state !== "open") return <span class="muted">–</span>
  if (at === undefined) return <>until it is completed or cancelled</>
  const left = (Date.parse(at) - clock.value) / 1000
  return (
    <Badge tone={left < 60 ? "bad" : left < 300 ? "wait" : "info"}>
      {left <= 0 ? "expires now" : `${duration(left)} left`}
    </Badge>
  )
}

/** What became of an order that is no more, as its last event says. */
const Gone = ({ last }: { last: StoredEvent | undefined }) => (
  <p class="notice bad">
    <Icon name="alert" size={16} />
    {last === undefined
      ? "There is no such order: it was cancelled, it expired, or there never was one."
      : `This order ${last.type === "order.expired" ? "expired" : "was cancelled"}. Its events tell what happened.`}
  </p>
)

const OrderFacts = ({
  expiresAt,
  order,
  record
}: {
  expiresAt: string | undefined
  order: Order
  record: One<ResourceRecord>
}) => {
  const state = stateOf(order)
  const pet =
    order.petId === undefined ? undefined : (
      <a href={linkTo("pets", order.petId)}>
        <PetName id={order.petId} />
      </a>
    )
  const externalId = record.value?.externalId
  return (
    <Facts
      of={[
        ["State", <Badge tone={orderTones[state]}>{state}</Badge>],
        ["Pet", pet],
        ["Units", number(order.quantity)],
        ["Holds them", <Hold at={expiresAt} state={state} />],
        ["Ships", order.shipDate === undefined ? undefined : <Time at={order.shipDate} />],
        ["Placed", <Time at={record.value?.createdAt} />],
        ["External id", externalId === undefined ? undefined : <code>{externalId}</code>]
      ]}
    />
  )
}

const OrderButtons = ({ hold, id, order }: { hold: One<{ expiresAt: string }>; id: string; order: One<Order> }) => {
  if (order.value === undefined || order.value.complete === true) return null
  const reload = (): void => {
    order.reload()
    hold.reload()
  }
  const shown = { id, etag: order.etag, reload }
  const hasPet = stateOf(order.value) === "open"
  return (
    <>
      {hasPet && (
        <Button kind="primary" blocked={whyNot("orders:fulfil")} onClick={() => completeOrder(shown)}>
          Complete
        </Button>
      )}
      {hasPet && (
        <Button
          blocked={whyNot("orders:write")}
          onClick={() => holdLonger({ id, etag: hold.etag, reload, expiresAt: hold.value?.expiresAt })}
        >
          Hold 15 min longer
        </Button>
      )}
      <Button kind="danger" blocked={whyNot("orders:write")} onClick={() => cancelOrder(shown)}>
        Cancel order
      </Button>
    </>
  )
}

export const OrderDetail = ({ id }: { id: string }) => {
  const path = `/store/orders/${id}`
  const order = useOne<Order>(path)
  const hold = useOne<{ expiresAt: string }>(`${path}/reservation`)
  const record = useRecord(path)
  const history = useHistoryOf(`orders/${id}`, "events:orders", "orders:own")
  useEventsOf([`orders/${id}`], () => {
    for (const one of [order, hold, record]) one.reload()
  })
  const { error, reload, value } = order
  useEffect(() => wantNames([value?.petId]), [value?.petId])
  const gone = error instanceof ApiError && error.status === 404
  const title =
    value === undefined ? (
      `Order ${id}`
    ) : (
      <>
        {number(value.quantity)} × <PetName id={value.petId} />
      </>
    )
  return (
    <Drawer
      kicker={`Order ${id}`}
      close={here({}, null)}
      title={title}
      actions={value !== undefined && <OrderButtons id={id} order={order} hold={hold} />}
    >
      {error !== undefined && !gone ? (
        <Failed error={error} retry={reload} />
      ) : (
        <>
          {gone && <Gone last={history?.events.find(({ type }) => /^order\.(?:cancelled|expired)$/.test(type))} />}
          {value !== undefined && <OrderFacts order={value} expiresAt={hold.value?.expiresAt} record={record} />}
          <HistorySection history={history} />
          <RecordSection path={path} record={record} scope="orders:write" />
        </>
      )}
    </Drawer>
  )
}
