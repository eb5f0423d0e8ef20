import { useEffect } from "preact/hooks"
import { call, mayRead, onEvents, type StoredEvent, stats, wantFigures, whyNot } from "../api.ts"
import { reloadSoon, useList, useOne } from "../list.ts"
import { here, linkTo, linkToSubject, openLabel, route } from "../router.ts"
import {
  act,
  actOnAll,
  Badge,
  Button,
  capped,
  Drawer,
  duration,
  Empty,
  Facts,
  Failed,
  Icon,
  Json,
  More,
  NoScopePage,
  Section,
  Table,
  Tabs,
  Time,
  type Tone
} from "../ui.tsx"
import {
  createWebhook,
  deleteWebhook,
  editWebhook,
  enableWebhook,
  failures,
  rotateSecret,
  testWebhook,
  type Webhook
} from "./webhookActions.ts"

interface Delivery {
  readonly id: number
  readonly webhookId: number
  readonly seq: number
  readonly eventId: string
  readonly type: string
  readonly subject: string
  readonly status: string
  readonly attempts: number
  readonly createdAt: string
  readonly nextAttemptAt?: string
  readonly lastAttemptAt?: string
  readonly failure?: string
  readonly responseStatus?: number
  readonly message?: string
  readonly finishedAt?: string
}

const deliveryTone = ({ attempts, status }: Delivery): Tone =>
  status === "delivered" ? "ok" : status === "failed" ? "bad" : attempts > 0 ? "wait" : "info"
const deliveryState = ({ attempts, status }: Delivery): string =>
  status === "pending" && attempts > 0 ? "retrying" : status === "pending" ? "waiting" : status

/** When attempts follow each other, in seconds: see docs/webhooks.md, Attempts. */
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

const Attempts = ({ delivery }: { delivery: Delivery }) => (
  <ol class="attempts" aria-label={`${delivery.attempts} of 10 attempts were made`}>
    {Array.from({ length: 10 }, (_, at) => {
      const made = at < delivery.attempts
      const last = at === delivery.attempts - 1
      const tone = !made ? "" : last && delivery.status === "delivered" ? "ok" : "bad"
      const wait = schedule[at - 1]
      return (
        <li
          key={at}
          class={tone}
          title={at === 0 ? "at once" : `attempt ${at + 1}: ${duration(wait ?? 0)} after the one before`}
        />
      )
    })}
  </ol>
)

const DeliveryDetail = ({
  delivery,
  reload,
  webhook
}: {
  delivery: Delivery
  webhook: Webhook
  reload: () => void
}) => {
  const seesEvents = mayRead("events:read")
  const found = useOne<ReadonlyArray<StoredEvent>>(seesEvents ? "/events" : undefined, {
    after: delivery.seq - 1,
    limit: 1
  })
  const event = found.value?.find(({ seq }) => seq === delivery.seq)
  const link = linkToSubject(delivery.subject)
  const again = (): Promise<boolean> =>
    act(
      "It is sent again at once",
      () => call("POST", `/webhooks/${webhook.id}/redeliver`, { body: { deliveryId: delivery.id } }),
      { always: () => setTimeout(reload, 600) }
    )
  return (
    <Drawer
      kicker={`Delivery ${delivery.id}`}
      title={delivery.type}
      close={here({ delivery: undefined })}
      actions={
        <>
          <Button kind="primary" blocked={whyNot("webhooks:write")} onClick={again}>
            {delivery.status === "pending" ? "Try now" : "Deliver again"}
          </Button>
          {link !== undefined && (
            <a class="button" href={link}>
              {openLabel(delivery.subject)}
            </a>
          )}
        </>
      }
    >
      <Facts
        of={[
          ["State", <Badge tone={deliveryTone(delivery)}>{deliveryState(delivery)}</Badge>],
          ["Attempts", <Attempts delivery={delivery} />],
          [
            "Response",
            delivery.responseStatus === undefined ? undefined : (
              <code class={delivery.responseStatus < 300 ? "ok" : "bad"}>{delivery.responseStatus}</code>
            )
          ],
          ["Why not", delivery.failure === undefined ? undefined : (failures[delivery.failure] ?? delivery.failure)],
          ["In detail", delivery.message],
          ["Last attempt", <Time at={delivery.lastAttemptAt} />],
          ["Next attempt", delivery.nextAttemptAt === undefined ? undefined : <Time at={delivery.nextAttemptAt} />],
          ["Finished", delivery.finishedAt === undefined ? undefined : <Time at={delivery.finishedAt} />],
          ["Event", <a href={linkTo("events", delivery.seq)}>#{delivery.seq}</a>]
        ]}
      />
      {seesEvents && (
        <Section title="What is sent">
          {found.error !== undefined ? (
            <Failed error={found.error} retry={found.reload} />
          ) : event === undefined ? (
            <p class="muted">{found.value === undefined ? "Loading…" : "The event is no longer kept."}</p>
          ) : (
            <Json value={event} />
          )}
        </Section>
      )}
      <p class="muted small">Bodies of responses are not stored, only their status.</p>
    </Drawer>
  )
}

// The API lists the oldest first, so a page of all deliveries is of little use: those that wait come first.
const statuses = [
  { value: "pending", name: "Waiting" },
  { value: "failed", name: "Failed" },
  { value: "delivered", name: "Delivered" },
  { value: "all", name: "All" }
] as const

/** A URL as people may see it: what follows the path may be a token. */
const shownUrl = (url: string): string =>
  url
    .replace(/^https?:\/\//, "")
    .replace(/\/\/[^/@]*@/, "//")
    .replace(/[?#].*$/, "?…")

const Endpoint = ({ id }: { id: string }) => {
  const { query } = route.value
  const status = query.get("status") ?? "pending"
  const open = query.get("delivery") ?? undefined
  const webhook = useOne<Webhook>(`/webhooks/${id}`)
  const list = useList<Delivery>(`/webhooks/${id}/deliveries`, status === "all" ? {} : { status })
  const blocked = whyNot("webhooks:write")
  useEffect(() => {
    const soon = reloadSoon(list, 3000)
    const stop = onEvents((events) => {
      if (events.some(({ subject }) => subject === `webhooks/${id}`)) webhook.reload()
      // A delivery writes no event of its own: look again a moment after something happened, on the first page alone.
      if ((list.rows.value?.length ?? 0) < 50) soon.ask()
    })
    return () => {
      soon.cancel()
      stop()
    }
  }, [id, status])
  const value = webhook.value
  const figures = stats.value?.webhooks.endpoints.find((one) => one.id === Number(id))
  if (webhook.error !== undefined) return <Failed error={webhook.error} retry={webhook.reload} />
  if (value === undefined)
    return (
      <div class="skeletons">
        <div class="skeleton" />
        <div class="skeleton" />
      </div>
    )
  const rows = list.rows.value
  const shown = rows?.find((row) => String(row.id) === open)
  return (
    <>
      <header class="page-head">
        <a class="button quiet" href={linkTo("webhooks")} aria-label="All webhooks">
          <Icon name="back" />
        </a>
        <h1 class="clip">{shownUrl(value.url)}</h1>
        {value.enabled ? (
          <Badge tone="ok">enabled</Badge>
        ) : (
          <Badge tone="bad">disabled: {value.disabledReason ?? "requested"}</Badge>
        )}
        <div class="page-actions">
          <Button blocked={blocked} onClick={() => testWebhook(value.id)}>
            Send a test
          </Button>
          <Button blocked={blocked} onClick={() => editWebhook(webhook)}>
            Change
          </Button>
          <Button
            blocked={blocked}
            onClick={() => enableWebhook(value.id, !value.enabled, webhook.etag, webhook.reload)}
          >
            {value.enabled ? "Disable" : "Enable"}
          </Button>
          <Button blocked={blocked} onClick={() => rotateSecret(value.id)}>
            Rotate secret
          </Button>
          <Button kind="danger" blocked={blocked} onClick={() => deleteWebhook(value.id, webhook.etag)}>
            Delete
          </Button>
        </div>
      </header>
      <section class="card">
        <Facts
          two
          of={[
            [
              "Events",
              value.types === undefined ? (
                "all types"
              ) : (
                <span class="chips">
                  {value.types.map((type) => (
                    <code key={type}>{type}</code>
                  ))}
                </span>
              )
            ],
            ["Order", value.ordered ? "one after the other for each subject" : "any"],
            ["At a time", value.concurrency],
            [
              "Waiting",
              figures === undefined
                ? undefined
                : figures.pending === 0
                  ? "none"
                  : `${capped(figures.pending, 1000)}, the oldest for ${duration(figures.oldestPending)}`
            ],
            [
              "Failed",
              figures === undefined ? undefined : figures.failed === 0 ? "none" : capped(figures.failed, 1000)
            ],
            ["Created", <Time at={value.createdAt} />]
          ]}
        />
      </section>
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
              onClick={() =>
                actOnAll(
                  rows,
                  {
                    title: `Try ${rows.length} deliveries now?`,
                    text: "Those that are shown, whatever became of them before. The receiver must handle each event once, by its id.",
                    yes: "Try them now"
                  },
                  (count) => `${count} are sent again at once`,
                  (row) => call("POST", `/webhooks/${id}/redeliver`, { body: { deliveryId: row.id } })
                ).then(list.reload)
              }
            >
              Try these {rows.length} now
            </Button>
          )}
          <Button kind="quiet" onClick={list.reload} busy={list.loading.value}>
            Refresh
          </Button>
        </span>
      </div>
      <section class="card table-card">
        {list.error.value !== undefined ? (
          <Failed error={list.error.value} retry={list.reload} />
        ) : rows?.length === 0 ? (
          <Empty
            icon={status === "failed" || status === "pending" ? "check" : "webhooks"}
            title={status === "failed" ? "None has failed" : status === "pending" ? "None waits" : "No deliveries yet"}
          />
        ) : (
          <Table
            label="Deliveries"
            rows={rows}
            keyOf={(row) => row.id}
            open={open}
            linkOf={(row) => here({ delivery: String(row.id) })}
            columns={[
              { name: "Delivery", cell: (row) => <span class="mono">{row.id}</span> },
              { name: "Event", grow: true, cell: (row) => <code>{row.type}</code> },
              { name: "State", cell: (row) => <Badge tone={deliveryTone(row)}>{deliveryState(row)}</Badge> },
              {
                name: "Response",
                wide: true,
                cell: (row) =>
                  row.responseStatus !== undefined ? (
                    <code class={row.responseStatus < 300 ? "ok" : "bad"}>{row.responseStatus}</code>
                  ) : (
                    <span class="muted">{row.failure ?? "–"}</span>
                  )
              },
              { name: "Attempts", end: true, wide: true, cell: (row) => row.attempts },
              {
                name: "Next",
                wide: true,
                end: true,
                cell: (row) =>
                  row.status === "pending" ? <Time at={row.nextAttemptAt} /> : <span class="muted">–</span>
              },
              { name: "Created", end: true, cell: (row) => <Time at={row.createdAt} /> }
            ]}
          />
        )}
        <More list={list} />
      </section>
      {shown !== undefined && <DeliveryDetail key={shown.id} delivery={shown} webhook={value} reload={list.reload} />}
    </>
  )
}

const Endpoints = () => {
  const list = useList<Webhook>("/webhooks")
  useEffect(wantFigures, [])
  useEffect(() => onEvents((events) => events.some(({ type }) => type.startsWith("webhook.")) && list.reload()), [])
  const rows = list.rows.value
  return (
    <>
      <header class="page-head">
        <h1>Webhooks</h1>
        <div class="page-actions">
          <Button kind="primary" blocked={whyNot("webhooks:write")} onClick={createWebhook}>
            Create a webhook
          </Button>
        </div>
      </header>
      {list.error.value !== undefined ? (
        <Failed error={list.error.value} retry={list.reload} />
      ) : rows?.length === 0 ? (
        <section class="card">
          <Empty icon="webhooks" title="No webhooks yet">
            An endpoint receives the events of the petstore as signed HTTP requests.
          </Empty>
        </section>
      ) : (
        <div class="endpoints">
          {(rows ?? []).map((row) => {
            const figures = stats.value?.webhooks.endpoints.find((one) => one.id === row.id)
            const tone: Tone = !row.enabled
              ? "bad"
              : figures === undefined
                ? "idle"
                : figures.failed > 0
                  ? "bad"
                  : figures.oldestPending > 60
                    ? "wait"
                    : "ok"
            return (
              <a class="card endpoint" key={row.id} href={linkTo("webhooks", row.id)}>
                <span class="endpoint-head">
                  <b class="clip">{shownUrl(row.url)}</b>
                  <Badge tone={tone}>
                    {!row.enabled
                      ? `disabled: ${row.disabledReason ?? ""}`
                      : tone === "ok"
                        ? "healthy"
                        : tone === "wait"
                          ? "behind"
                          : tone === "bad"
                            ? "failing"
                            : "enabled"}
                  </Badge>
                </span>
                <span class="muted small clip">
                  {row.types === undefined ? "all types of events" : row.types.join(", ")}
                </span>
                <span class="endpoint-figures">
                  <span>
                    <strong>{figures === undefined ? "–" : capped(figures.pending, 1000)}</strong> waiting
                  </span>
                  <span class={figures !== undefined && figures.failed > 0 ? "bad" : ""}>
                    <strong>{figures === undefined ? "–" : capped(figures.failed, 1000)}</strong> failed
                  </span>
                  <span>
                    <strong>
                      {figures === undefined || figures.pending === 0 ? "–" : duration(figures.oldestPending)}
                    </strong>{" "}
                    oldest
                  </span>
                </span>
              </a>
            )
          })}
        </div>
      )}
    </>
  )
}

export const Webhooks = () => {
  const { id } = route.value
  if (!mayRead("webhooks:read")) return <NoScopePage title="Webhooks" scope="webhooks:read" />
  return id === undefined ? <Endpoints /> : <Endpoint key={id} id={id} />
}
