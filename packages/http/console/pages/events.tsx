import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { type Family, familyOf, petNames, recent, type StoredEvent, streamState, wantNames } from "../api.ts"
import { useHistory, useOne } from "../list.ts"
import { go, here, linkTo, linkToSubject, openLabel, route } from "../router.ts"
import {
  Badge,
  Button,
  Drawer,
  Empty,
  Facts,
  Failed,
  Icon,
  Json,
  number,
  Search,
  Section,
  Table,
  Tabs,
  Time
} from "../ui.tsx"

export const EventDot = ({ type }: { type: string }) => <i class={`event-dot ${familyOf(type)}`} aria-hidden="true" />

const petOf = (id: number | undefined, names: ReadonlyMap<number, string>): string =>
  id === undefined ? "no pet yet" : (names.get(id) ?? `pet ${id}`)

/** An event in a few words. */
export const describeEvent = ({ data, subject, type }: StoredEvent, names: ReadonlyMap<number, string>): string => {
  const [, id] = subject.split("/")
  switch (type) {
    case "order.placed":
    case "order.updated":
    case "order.completed":
      return `Order ${id}: ${data.quantity ?? 1} × ${petOf(data.petId, names)}`
    case "order.cancelled":
    case "order.expired":
    case "order.record_updated":
      return `Order ${id}`
    case "inventory.updated":
      return `${petOf(data.petId, names)}: ${data.available ?? data.quantity} of ${data.quantity} available`
    case "pet.status_changed":
      return `${data.name}: ${data.previous} → ${data.status}`
    case "pet.created":
    case "pet.updated":
    case "category.created":
    case "category.updated":
      return data.name ?? subject
    case "message.queued":
    case "message.delivered":
    case "message.failed":
      return data.message ?? subject
    default:
      return subject
  }
}

const isCreated = ({ type }: StoredEvent): boolean => /\.(?:placed|created|queued)$/.test(type)

const kinds: ReadonlyArray<{ value: "" | Family; name: string }> = [
  { value: "", name: "All" },
  { value: "order", name: "Orders" },
  { value: "inventory", name: "Stock" },
  { value: "pet", name: "Pets" },
  { value: "message", name: "Messages" },
  { value: "webhook", name: "Webhooks" }
]

const Detail = ({ seq }: { seq: string }) => {
  const known = recent.value.find((event) => String(event.seq) === seq)
  const asked = useOne<ReadonlyArray<StoredEvent>>(known === undefined ? "/events" : undefined, {
    after: Number(seq) - 1,
    limit: 1
  })
  const event = known ?? asked.value?.find((one) => String(one.seq) === seq)
  const close = here({}, null)
  if (event === undefined) {
    return (
      <Drawer kicker="Event" title={`#${seq}`} close={close}>
        {asked.error === undefined ? (
          asked.value === undefined ? (
            <div class="skeletons">
              <div class="skeleton" />
            </div>
          ) : (
            <Empty icon="events" title="This event is no longer kept" />
          )
        ) : (
          <Failed error={asked.error} retry={asked.reload} />
        )}
      </Drawer>
    )
  }
  const link = linkToSubject(event.subject)
  return (
    <Drawer
      kicker={`Event ${number(event.seq)}`}
      title={event.type}
      close={close}
      actions={
        link !== undefined && (
          <a class="button primary" href={link}>
            {openLabel(event.subject)}
          </a>
        )
      }
    >
      <Facts
        of={[
          ["When", <Time at={event.timestamp} />],
          ["Subject", <a href={linkTo("events", undefined, { subject: event.subject })}>{event.subject}</a>],
          ["Id", <code>{event.id}</code>],
          ["Version", event.data.version]
        ]}
      />
      <Section title="Data">
        <Json value={event.data} />
      </Section>
      <p class="neighbours">
        <a href={here({}, event.seq - 1)}>← {number(event.seq - 1)}</a>
        <a href={here({}, event.seq + 1)}>{number(event.seq + 1)} →</a>
      </p>
    </Drawer>
  )
}

export const Events = () => {
  const { id, query } = route.value
  const kind = query.get("kind") ?? ""
  const subject = query.get("subject") ?? ""
  const paused = useSignal<ReadonlyArray<StoredEvent> | undefined>(undefined)
  // A whole subject is looked up in the log; its newest events come with the stream.
  const found = useHistory(/^\w+\/\w+$/.test(subject) ? subject : undefined, isCreated)
  const now = paused.value ?? recent.value
  const missed =
    paused.value === undefined ? 0 : recent.value.filter(({ seq }) => seq > (paused.value?.[0]?.seq ?? 0)).length
  const shown = now.filter(
    (event) => (kind === "" || familyOf(event.type) === kind) && (subject === "" || event.subject.startsWith(subject))
  )
  const last = shown.at(-1)?.seq ?? Number.POSITIVE_INFINITY
  const rows = [
    ...shown,
    ...found.events.filter(({ seq, type }) => seq < last && (kind === "" || familyOf(type) === kind))
  ]
  useEffect(() => wantNames(rows.slice(0, 100).map(({ data }) => data.petId)), [now])
  const names = petNames.value
  return (
    <>
      <header class="page-head">
        <h1>Events</h1>
        <Badge tone={paused.value !== undefined ? "wait" : streamState.value === "live" ? "ok" : "idle"}>
          {paused.value !== undefined
            ? `paused, ${missed} new`
            : streamState.value === "live"
              ? "live"
              : streamState.value}
        </Badge>
        <div class="page-actions">
          <Button
            pressed={paused.value !== undefined}
            onClick={() => {
              paused.value = paused.value === undefined ? recent.value : undefined
            }}
          >
            <Icon name={paused.value === undefined ? "pause" : "play"} size={16} />
            {paused.value === undefined ? "Pause" : "Go on"}
          </Button>
        </div>
      </header>
      <div class="filters">
        <Tabs
          label="Kind of event"
          value={kind}
          options={kinds.map(({ name, value }) => ({ name, value, link: here({ kind: value }, null) }))}
        />
        <Search
          label="Subject"
          placeholder="Subject, such as orders/12"
          value={subject}
          onInput={(value) => go(here({ subject: value.trim() }, null), true)}
        />
      </div>
      <section class="card table-card">
        {rows.length === 0 ? (
          <Empty icon="events" title={now.length === 0 ? "No events yet" : "No event fits"}>
            {now.length === 0
              ? "They appear here as they are committed."
              : "The page keeps the last 500. Change the filter, or wait."}
          </Empty>
        ) : (
          <Table
            label="Events, the newest first"
            rows={rows}
            keyOf={({ seq }) => seq}
            open={id}
            linkOf={({ seq }) => here({}, seq)}
            columns={[
              { name: "Seq", cell: ({ seq }) => <span class="mono">{number(seq)}</span> },
              {
                name: "Type",
                cell: ({ type }) => (
                  <span class="event-type">
                    <EventDot type={type} />
                    <code>{type}</code>
                  </span>
                )
              },
              { name: "What", grow: true, cell: (event) => <span class="clip">{describeEvent(event, names)}</span> },
              { name: "Subject", wide: true, cell: ({ subject }) => <span class="muted">{subject}</span> },
              { name: "When", end: true, cell: ({ timestamp }) => <Time at={timestamp} /> }
            ]}
          />
        )}
        {found.further !== undefined && (
          <div class="more">
            <Button onClick={found.further}>Look further back</Button>
          </div>
        )}
      </section>
      {id !== undefined && <Detail seq={id} />}
    </>
  )
}
