import type { MessagesRequeued, MessageWithDelivery } from "@petstore/core"
import { useEffect } from "preact/hooks"
import { call } from "../../api/request.ts"
import { mayRead, whyNot } from "../../api/scopes.ts"
import { useList } from "../../lists/useList.ts"
import { useReloadSoon } from "../../lists/useReloadSoon.ts"
import { stats, wantFigures } from "../../live/stats.ts"
import { here, linkTo, route } from "../../router.ts"
import { actOnServer } from "../../ui/actOnAll.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { ListCard } from "../../ui/ListCard.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Empty, NoScopePage } from "../../ui/states.tsx"
import type { Column } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { capped, number } from "../../ui/text.ts"
import { MessageDetail } from "./MessageDetail.tsx"
import { messageState, messageTone } from "./message.ts"

const columns: ReadonlyArray<Column<MessageWithDelivery>> = [
  { name: "Message", grow: true, cell: (row) => <span class="clip">{row.message}</span> },
  { name: "State", cell: (row) => <Badge tone={messageTone(row)}>{messageState(row)}</Badge> },
  { name: "Attempts", wide: true, end: true, cell: (row) => row.attempts ?? 0 },
  { name: "Next", wide: true, end: true, cell: (row) => <Time at={row.nextAttemptAt} /> },
  { name: "Queued", end: true, cell: (row) => <Time at={row.createdAt} /> }
]

const requeueAll = (): Promise<void> =>
  actOnServer({
    question: {
      title: "Put all messages that failed into the queue again?",
      text: "Each is tried at once.",
      yes: "Requeue all"
    },
    done: (count) => `${number(count)} are in the queue again`,
    request: async (after) => {
      const body = { status: "failed", after }
      const { requeued, ...rest } = (await call<MessagesRequeued>("POST", "/messages/requeue", { body })).data
      return { count: requeued, ...rest }
    }
  })

const NoMessages = ({ status }: { status: string }) => (
  <Empty
    icon={status === "delivered" ? "messages" : "check"}
    title={
      status === "failed"
        ? "No messages have failed"
        : status === "queued"
          ? "No messages are waiting"
          : "No messages yet"
    }
  />
)

export const Messages = () => {
  const { id, query } = route.value
  const status = query.get("status") ?? "queued"
  const allowed = mayRead("messages:read")
  useEffect(wantFigures, [])
  const list = useList<MessageWithDelivery>(allowed ? "/messages" : undefined, status === "all" ? {} : { status })
  useReloadSoon(list, 2000, (events) => events.some(({ type }) => type.startsWith("message.")))
  if (!allowed) return <NoScopePage title="Messages" scope="messages:read" />
  const now = stats.value?.messages
  const rows = list.rows.value
  const options = [
    { value: "queued", name: "Waiting", count: now && capped(now.queued, 10_000) },
    { value: "failed", name: "Failed", count: now && capped(now.failed, 10_000) },
    { value: "delivered", name: "Delivered" },
    { value: "all", name: "All" }
  ]
  return (
    <>
      <PageHead title="Messages" />
      <div class="filters">
        <Tabs
          label="State"
          value={status}
          options={options.map((one) => ({ ...one, link: linkTo("messages", undefined, { status: one.value }) }))}
        />
        {status === "failed" && rows !== undefined && rows.length > 0 && (
          <Button blocked={whyNot("messages:write")} onClick={() => requeueAll().then(list.reload)}>
            Requeue all
          </Button>
        )}
      </div>
      <ListCard
        list={list}
        label="Messages"
        keyOf={(row) => row.id}
        open={id}
        linkOf={(row) => here({ status }, row.id)}
        columns={columns}
        empty={<NoMessages status={status} />}
      />
      {id !== undefined && <MessageDetail key={id} id={id} reloadList={list.reload} />}
    </>
  )
}
