import { useEffect } from "preact/hooks"
import { call, mayRead, onEvents, stats, wantFigures, whyNot } from "../api.ts"
import { reloadSoon, useList, useOne } from "../list.ts"
import { here, linkTo, route } from "../router.ts"
import {
  act,
  actOnAll,
  Badge,
  Button,
  Copy,
  capped,
  Drawer,
  Empty,
  Facts,
  Failed,
  More,
  NoScopePage,
  Section,
  Table,
  Tabs,
  Time,
  type Tone
} from "../ui.tsx"

interface Message {
  readonly id: string
  readonly message: string
  readonly status: string
  readonly createdAt: string
  readonly attempts?: number
  readonly nextAttemptAt?: string
  readonly deliveredAt?: string
  readonly failedAt?: string
  readonly lastError?: string
}
const tones: Readonly<Record<string, Tone>> = { queued: "info", delivered: "ok", failed: "bad" }
const toneOf = ({ attempts = 0, status }: Message): Tone =>
  status === "queued" && attempts > 0 ? "wait" : (tones[status] ?? "idle")
const nameOf = ({ attempts = 0, status }: Message): string =>
  status === "queued" ? (attempts > 0 ? "retrying" : "waiting") : status

const requeue = (id: string, always: () => void): Promise<boolean> =>
  act("It is tried again at once", () => call("POST", `/messages/${id}/requeue`), { always })

const Detail = ({ id, reloadList }: { id: string; reloadList: () => void }) => {
  const message = useOne<Message>(`/messages/${id}`)
  useEffect(
    () => onEvents((events) => events.some(({ subject }) => subject === `messages/${id}`) && message.reload()),
    [id]
  )
  const value = message.value
  return (
    <Drawer
      kicker="Message"
      title={<span class="mono">{id}</span>}
      close={here({}, null)}
      actions={
        value !== undefined &&
        value.status !== "delivered" && (
          <Button
            kind="primary"
            blocked={whyNot("messages:write")}
            onClick={() =>
              requeue(id, () => {
                message.reload()
                reloadList()
              })
            }
          >
            {value.status === "failed" ? "Put it into the queue again" : "Try now"}
          </Button>
        )
      }
    >
      {message.error !== undefined ? (
        <Failed error={message.error} retry={message.reload} />
      ) : (
        value !== undefined && (
          <>
            <Facts
              of={[
                ["State", <Badge tone={toneOf(value)}>{nameOf(value)}</Badge>],
                ["Attempts", value.attempts ?? 0],
                ["Next attempt", value.nextAttemptAt === undefined ? undefined : <Time at={value.nextAttemptAt} />],
                ["Last error", value.lastError],
                ["Queued", <Time at={value.createdAt} />],
                ["Delivered", value.deliveredAt === undefined ? undefined : <Time at={value.deliveredAt} />],
                ["Failed", value.failedAt === undefined ? undefined : <Time at={value.failedAt} />]
              ]}
            />
            <Section title="Text">
              <div class="json">
                <Copy text={value.message} />
                <pre>{value.message}</pre>
              </div>
            </Section>
          </>
        )
      )}
    </Drawer>
  )
}

export const Messages = () => {
  const { id, query } = route.value
  const status = query.get("status") ?? "queued"
  const allowed = mayRead("messages:read")
  useEffect(wantFigures, [])
  const list = useList<Message>(allowed ? "/messages" : undefined, status === "all" ? {} : { status })
  useEffect(() => {
    const soon = reloadSoon(list, 2000)
    const stop = onEvents((events) => {
      if (events.some(({ type }) => type.startsWith("message.")) && (list.rows.value?.length ?? 0) <= 50) soon.ask()
    })
    return () => {
      soon.cancel()
      stop()
    }
  }, [status])
  if (!allowed) return <NoScopePage title="Messages" scope="messages:read" />
  const now = stats.value?.messages
  const rows = list.rows.value
  const options = [
    { value: "queued", name: "Waiting", count: now === undefined ? undefined : capped(now.queued, 10_000) },
    { value: "failed", name: "Failed", count: now === undefined ? undefined : capped(now.failed, 10_000) },
    { value: "delivered", name: "Delivered" },
    { value: "all", name: "All" }
  ]
  return (
    <>
      <header class="page-head">
        <h1>Messages</h1>
      </header>
      <div class="filters">
        <Tabs
          label="State"
          value={status}
          options={options.map((one) => ({ ...one, link: linkTo("messages", undefined, { status: one.value }) }))}
        />
        {status === "failed" && rows !== undefined && rows.length > 0 && (
          <Button
            blocked={whyNot("messages:write")}
            onClick={() =>
              actOnAll(
                rows,
                {
                  title: `Put ${rows.length} messages into the queue again?`,
                  text: "Those that are shown. Each is tried at once.",
                  yes: "Put them into the queue"
                },
                (count) => `${count} are in the queue again`,
                (row) => call("POST", `/messages/${row.id}/requeue`)
              ).then(list.reload)
            }
          >
            Requeue these {rows.length}
          </Button>
        )}
      </div>
      <section class="card table-card">
        {list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : rows?.length === 0 ? (
          <Empty
            icon={status === "delivered" ? "messages" : "check"}
            title={status === "failed" ? "None has failed" : status === "queued" ? "None waits" : "No messages yet"}
          />
        ) : (
          <Table
            label="Messages"
            rows={rows}
            keyOf={(row) => row.id}
            open={id}
            linkOf={(row) => here({ status }, row.id)}
            columns={[
              { name: "Message", grow: true, cell: (row) => <span class="clip">{row.message}</span> },
              { name: "State", cell: (row) => <Badge tone={toneOf(row)}>{nameOf(row)}</Badge> },
              { name: "Attempts", wide: true, end: true, cell: (row) => row.attempts ?? 0 },
              {
                name: "Next",
                wide: true,
                end: true,
                cell: (row) =>
                  row.nextAttemptAt === undefined ? <span class="muted">–</span> : <Time at={row.nextAttemptAt} />
              },
              { name: "Queued", end: true, cell: (row) => <Time at={row.createdAt} /> }
            ]}
          />
        )}
        <More list={list} />
      </section>
      {id !== undefined && <Detail key={id} id={id} reloadList={list.reload} />}
    </>
  )
}
