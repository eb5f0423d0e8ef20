import { type Signal, useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { useHistory } from "../../lists/useHistory.ts"
import { type Family, familyOf, type StoredEvent } from "../../live/event.ts"
import { petNames, wantNames } from "../../live/petNames.ts"
import { recent, streamState } from "../../live/stream.ts"
import { go, here, route } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Search } from "../../ui/Search.tsx"
import { Empty } from "../../ui/states.tsx"
import { type Column, Table } from "../../ui/Table.tsx"
import { Tabs } from "../../ui/Tabs.tsx"
import { Time } from "../../ui/Time.tsx"
import { number } from "../../ui/text.ts"
import { describeEvent } from "./describeEvent.ts"
import { EventDetail } from "./EventDetail.tsx"
import { EventDot } from "./EventDot.tsx"

const kinds: ReadonlyArray<{ value: "" | Family; name: string }> = [
  { value: "", name: "All" },
  { value: "order", name: "Orders" },
  { value: "inventory", name: "Stock" },
  { value: "pet", name: "Pets" },
  { value: "message", name: "Messages" },
  { value: "webhook", name: "Webhooks" }
]

const columnsOf = (names: ReadonlyMap<number, string>): ReadonlyArray<Column<StoredEvent>> => [
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
]

/** Holds the list as it is, and counts what comes meanwhile. */
const EventsHead = ({ paused }: { paused: Signal<ReadonlyArray<StoredEvent> | undefined> }) => {
  const held = paused.value
  const missed = held === undefined ? 0 : recent.value.filter(({ seq }) => seq > (held[0]?.seq ?? 0)).length
  const state = streamState.value
  const pause = (
    <Button pressed={held !== undefined} onClick={() => (paused.value = held === undefined ? recent.value : undefined)}>
      <Icon name={held === undefined ? "pause" : "play"} size={16} />
      {held === undefined ? "Pause" : "Go on"}
    </Button>
  )
  return (
    <PageHead title="Events" actions={pause}>
      <Badge tone={held !== undefined ? "wait" : state === "live" ? "ok" : "idle"}>
        {held !== undefined ? `paused, ${missed} new` : state}
      </Badge>
    </PageHead>
  )
}

const NoEvents = ({ any }: { any: boolean }) => (
  <Empty icon="events" title={any ? "No event fits" : "No events yet"}>
    {any ? "The page keeps the last 500. Change the filter, or wait." : "They appear here as they are committed."}
  </Empty>
)

export const Events = () => {
  const { id, query } = route.value
  const kind = query.get("kind") ?? ""
  const subject = query.get("subject") ?? ""
  const paused = useSignal<ReadonlyArray<StoredEvent> | undefined>(undefined)
  // A whole subject is looked up in the log; its newest events come with the stream.
  const found = useHistory(/^\w+\/\w+$/.test(subject) ? subject : undefined)
  const now = paused.value ?? recent.value
  const fits = ({ type }: StoredEvent): boolean => kind === "" || familyOf(type) === kind
  const shown = now.filter((event) => fits(event) && (subject === "" || event.subject.startsWith(subject)))
  const last = shown.at(-1)?.seq ?? Number.POSITIVE_INFINITY
  const rows = [...shown, ...found.events.filter((event) => event.seq < last && fits(event))]
  useEffect(() => wantNames(rows.slice(0, 100).map(({ data }) => data.petId)), [now])
  return (
    <>
      <EventsHead paused={paused} />
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
          <NoEvents any={now.length > 0} />
        ) : (
          <Table
            label="Events, the newest first"
            rows={rows}
            keyOf={({ seq }) => seq}
            open={id}
            linkOf={({ seq }) => here({}, seq)}
            columns={columnsOf(petNames.value)}
          />
        )}
        {found.further !== undefined && (
          <div class="more">
            <Button onClick={found.further}>Look further back</Button>
          </div>
        )}
      </section>
      {id !== undefined && <EventDetail seq={id} />}
    </>
  )
}
