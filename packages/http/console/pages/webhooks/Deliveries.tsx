import type { DeliveriesRequeued, Delivery } from "@petstore/core"
import { call } from "../../api/request.ts"
import { whyNot } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { here, route } from "../../router.ts"
import { actOnAll, actOnServer } from "../../ui/actOnAll.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { Empty } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { number } from "../../ui/text.ts"
import { DeliveryDetail } from "./DeliveryDetail.tsx"
import { deliveryState, deliveryTone } from "./delivery.ts"

const statuses = [
  { value: "pending", name: "Waiting" },
  { value: "failed", name: "Failed" },
  { value: "delivered", name: "Delivered" },
  { value: "all", name: "All" }
] as const

const columns: ReadonlyArray<Column<Delivery>> = [
  { name: "Delivery", cell: (row) => <span class="mono">{row.id}</span> },
  { name: "Endpoint", wide: true, cell: (row) => row.webhookId },
  { name: "Event", grow: true, cell: (row) => <code>{row.type}</code> },
  { name: "State", cell: (row) => <Badge tone={deliveryTone(row)}>{deliveryState(row)}</Badge> },
  {
    name: "Response",
    wide: true,
    cell: ({ failure, responseStatus }) =>
      responseStatus !== undefined ? (
        <code class={responseStatus < 300 ? "ok" : "bad"}>{responseStatus}</code>
      ) : (
        <span class="muted">{failure ?? "–"}</span>
      )
  },
  { name: "Attempts", end: true, wide: true, cell: (row) => row.attempts },
  {
    name: "Next",
    wide: true,
    end: true,
    cell: (row) => <Time at={row.status === "pending" ? row.nextAttemptAt : undefined} />
  },
  { name: "Created", end: true, cell: (row) => <Time at={row.createdAt} /> }
]

const doubled = "The receiver must handle each event once, by its id."

/** Failed deliveries, of one endpoint or of all. */
const requeueAll = (webhookId: number | undefined): Promise<void> =>
  actOnServer({
    question: { title: "Try all deliveries that failed now?", text: doubled, yes: actionOf("failed") },
    done: (count) => `${number(count)} are sent at once`,
    request: async (after) => {
      const body = { status: "failed", webhookId, after }
      const { requeued, ...rest } = (await call<DeliveriesRequeued>("POST", "/deliveries/requeue", { body })).data
      return { count: requeued, ...rest }
    }
  })

const tryAll = (path: string): Promise<void> =>
  actOnAll<Delivery>({
    path,
    query: { status: "pending" },
    question: { title: "Try all deliveries that wait now?", text: doubled, yes: actionOf("pending") },
    done: (count) => `${number(count)} are sent at once`,
    action: ({ id, webhookId }) => call("POST", `/webhooks/${webhookId}/redeliver`, { body: { deliveryId: id } })
  })

const actionOf = (status: string): string => (status === "failed" ? "Deliver all again" : "Try all now")

const NoDeliveries = ({ status }: { status: string }) => (
  <Empty
    icon={status === "failed" || status === "pending" ? "check" : "webhooks"}
    title={
      status === "failed"
        ? "No deliveries have failed"
        : status === "pending"
          ? "No deliveries are waiting"
          : "No deliveries yet"
    }
  />
)

/** The deliveries to an endpoint or to all, the newest first, and the one that is open. */
export const Deliveries = ({ webhookId }: { webhookId?: number }) => {
  const { query } = route.value
  const status = query.get("status") ?? "pending"
  const open = query.get("delivery") ?? undefined
  const path = webhookId === undefined ? "/deliveries" : `/webhooks/${webhookId}/deliveries`
  const list = useList<Delivery>(path, { sort: "-id", ...(status === "all" ? {} : { status }) })
  // A delivery writes no event of its own: look again a moment after something happened.
  useReloadSoon(list, 3000, () => true)
  const rows = list.rows.value
  return (
    <>
      <div class="filters">
        <Tabs
          label="State of deliveries"
          value={status}
          options={statuses.map((one) => ({ ...one, link: here({ status: one.value, delivery: undefined }) }))}
        />
        <span class="filter-actions">
          {(status === "failed" || status === "pending") && rows !== undefined && rows.length > 0 && (
            <Button
              blocked={whyNot("webhooks:write")}
              onClick={() => (status === "failed" ? requeueAll(webhookId) : tryAll(path)).then(list.reload)}
            >
              {actionOf(status)}
            </Button>
          )}
          <Button kind="quiet" onClick={list.reload} busy={list.loading.value}>
            Refresh
          </Button>
        </span>
      </div>
      <ListCard
        list={list}
        label="Deliveries"
        keyOf={(row) => row.id}
        open={open}
        linkOf={(row) => here({ delivery: String(row.id) })}
        columns={columns}
        empty={<NoDeliveries status={status} />}
      />
      {open !== undefined && <DeliveryDetail key={open} id={open} reload={list.reload} />}
    </>
  )
}
