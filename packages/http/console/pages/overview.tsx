import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import {
  get,
  mayRead,
  onEvents,
  petNames,
  rates,
  recent,
  stats,
  statsError,
  streamState,
  wantFigures,
  wantNames
} from "../api.ts"
import { Activity } from "../chart.tsx"
import { linkTo } from "../router.ts"
import {
  Badge,
  capped,
  duration,
  Empty,
  Icon,
  type IconName,
  number,
  perSecond,
  Spark,
  Time,
  type Tone
} from "../ui.tsx"
import { describeEvent, EventDot } from "./events.tsx"

const Tile = ({
  children,
  href,
  icon,
  name,
  note,
  tone,
  value
}: {
  name: string
  icon: IconName
  value: ComponentChildren
  note: ComponentChildren
  href: string
  tone?: Tone | undefined
  children?: ComponentChildren
}) => (
  <a class={`card tile ${tone ?? ""}`} href={href}>
    <span class="tile-name">
      <Icon name={icon} size={16} />
      {name}
    </span>
    <span class="tile-value">
      <strong>{value}</strong>
      {children}
    </span>
    <span class="tile-note">{note}</span>
  </a>
)

interface Concern {
  readonly tone: Tone
  readonly title: string
  readonly text: string
  readonly href: string
}

const concerns = (): ReadonlyArray<Concern> => {
  const now = stats.value
  if (now === undefined) return []
  const found: Array<Concern> = []
  if (now.transactions.failed > 0) {
    found.push({
      tone: "bad",
      title: `${number(now.transactions.failed)} transactions failed`,
      text: "because of the store, since the server started",
      href: linkTo("health")
    })
  }
  for (const { enabled, failed, id, oldestPending, pending } of now.webhooks.endpoints) {
    if (!enabled)
      found.push({
        tone: "bad",
        title: `Webhook ${id} is disabled`,
        text: `${capped(pending, 1000)} deliveries wait`,
        href: linkTo("webhooks", id)
      })
    else if (failed > 0)
      found.push({
        tone: "bad",
        title: `Webhook ${id} has failed deliveries`,
        text: `${capped(failed, 1000)} were given up`,
        href: linkTo("webhooks", id, { status: "failed" })
      })
    else if (oldestPending > 60)
      found.push({
        tone: "wait",
        title: `Webhook ${id} is behind`,
        text: `${capped(pending, 1000)} wait, the oldest for ${duration(oldestPending)}`,
        href: linkTo("webhooks", id, { status: "pending" })
      })
  }
  if (now.messages.failed > 0)
    found.push({
      tone: "bad",
      title: `${capped(now.messages.failed, 10_000)} messages failed`,
      text: "and are not tried again by themselves",
      href: linkTo("messages", undefined, { status: "failed" })
    })
  if (now.messages.oldestQueued > 300)
    found.push({
      tone: "wait",
      title: "Messages wait long",
      text: `the oldest for ${duration(now.messages.oldestQueued)}`,
      href: linkTo("messages", undefined, { status: "queued" })
    })
  for (const { age, lag, name } of now.consumers) {
    if (age > 60)
      found.push({
        tone: lag > 1000 ? "bad" : "wait",
        title: `Consumer ${name} is behind`,
        text: `${number(lag)} events, ${duration(age)}`,
        href: linkTo("consumers")
      })
  }
  if (now.reservations.overdue > 0)
    found.push({
      tone: "wait",
      title: `${capped(now.reservations.overdue, 10_000)} reservations overdue`,
      text: `the first for ${duration(now.reservations.oldestOverdue)}`,
      href: linkTo("orders", undefined, { state: "open" })
    })
  return found
}

/** How many orders are open: asked for once, counted from events since, and asked for again each half minute. */
const useOpenOrders = () => {
  const open = useSignal<string | undefined>(undefined)
  const ask = (): void => {
    if (!mayRead("orders:read") || document.hidden) return
    get("/store/orders", { state: "open", count: true, limit: 1 }).then(
      ({ total }) => {
        open.value = total
      },
      () => {}
    )
  }
  useEffect(() => {
    ask()
    let due: ReturnType<typeof setTimeout> | undefined
    const stop = onEvents((events) => {
      if (due === undefined && events.some(({ type }) => type.startsWith("order."))) {
        due = setTimeout(() => {
          due = undefined
          ask()
        }, 5000)
      }
    })
    return () => {
      clearTimeout(due)
      stop()
    }
  }, [])
  return open.value
}

export const Overview = () => {
  useEffect(wantFigures, [])
  const open = useOpenOrders()
  const now = stats.value
  const history = rates.value
  const last = history.at(-1)
  const list = concerns()
  const pending = now?.webhooks.endpoints.reduce((sum, one) => sum + one.pending, 0) ?? 0
  const failed = now?.webhooks.endpoints.reduce((sum, one) => sum + one.failed, 0) ?? 0
  const behind = Math.max(0, ...(now?.consumers.map(({ lag }) => lag) ?? []))
  const latest = recent.value.slice(0, 12)
  // Those of all recent events at once: a name that is asked for later is one more request.
  useEffect(() => wantNames(recent.value.map(({ data }) => data.petId)), [recent.value])
  const names = petNames.value
  const dash = <span class="muted">–</span>
  return (
    <>
      <header class="page-head">
        <h1>Overview</h1>
        {statsError.value !== "" && <Badge tone="bad">{statsError.value}</Badge>}
      </header>
      {!mayRead("stats:read") && (
        <p class="muted">
          Your key shows no figures: it needs the scope <code>stats:read</code>.
        </p>
      )}
      <div class="tiles">
        <Tile
          name="Events"
          icon="events"
          href={linkTo("events")}
          value={
            last === undefined ? (
              dash
            ) : (
              <>
                {perSecond(last.events)}
                <small>/s</small>
              </>
            )
          }
          note={now === undefined ? " " : `${number(now.events.latest)} in all`}
        >
          <Spark values={history.map(({ events }) => events)} />
        </Tile>
        <Tile
          name="Transactions"
          icon="health"
          href={linkTo("health")}
          value={
            last === undefined ? (
              dash
            ) : (
              <>
                {perSecond(last.committed)}
                <small>/s</small>
              </>
            )
          }
          note={
            last === undefined
              ? " "
              : last.rejected > 0
                ? `${perSecond(last.rejected)}/s rejected`
                : `${perSecond(last.commits)} commits/s`
          }
        >
          <Spark values={history.map(({ committed }) => committed)} />
        </Tile>
        <Tile
          name="Open orders"
          icon="orders"
          href={linkTo("orders", undefined, { state: "open" })}
          value={open ?? dash}
          note={
            now === undefined || now.reservations.overdue === 0
              ? "hold their units"
              : `${now.reservations.overdue} overdue`
          }
        />
        <Tile
          name="Messages"
          icon="messages"
          href={linkTo("messages")}
          tone={now !== undefined && now.messages.failed > 0 ? "bad" : undefined}
          value={now === undefined ? dash : capped(now.messages.queued, 10_000)}
          note={
            now === undefined
              ? " "
              : now.messages.failed > 0
                ? `${capped(now.messages.failed, 10_000)} failed`
                : now.messages.queued > 0
                  ? `oldest ${duration(now.messages.oldestQueued)}`
                  : "none waits"
          }
        />
        <Tile
          name="Deliveries"
          icon="webhooks"
          href={linkTo("webhooks")}
          tone={failed > 0 ? "bad" : undefined}
          value={
            now === undefined
              ? dash
              : `${number(pending)}${now.webhooks.endpoints.some((one) => one.pending >= 1000) ? "+" : ""}`
          }
          note={
            now === undefined
              ? " "
              : failed > 0
                ? `${number(failed)} failed for good`
                : pending > 0
                  ? `waiting, ${duration(Math.max(...now.webhooks.endpoints.map((one) => one.oldestPending)))}`
                  : "none waits"
          }
        />
        <Tile
          name="Consumers"
          icon="consumers"
          href={linkTo("consumers")}
          tone={behind > 1000 ? "bad" : undefined}
          value={now === undefined ? dash : now.consumers.length}
          note={now === undefined ? " " : behind === 0 ? "all up to date" : `${number(behind)} behind`}
        />
      </div>
      <div class="columns">
        <Activity />
        <section class="card concerns" aria-label="Needs attention">
          <header>
            <h2>Needs attention</h2>
            {list.length > 0 && <span class="count">{list.length}</span>}
          </header>
          {list.length === 0 ? (
            <Empty icon="check" title={now === undefined ? "Looking…" : "Nothing needs you"}>
              {now === undefined ? undefined : "No delivery, message or consumer is stuck."}
            </Empty>
          ) : (
            <ul class="concern-list">
              {list.map(({ href, text, title, tone }) => (
                <li key={title}>
                  <a href={href} class={tone}>
                    <i aria-hidden="true" />
                    <span>
                      <b>{title}</b>
                      <small>{text}</small>
                    </span>
                    <Icon name="chevron" size={14} />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section class="card feed" aria-label="Latest events">
          <header>
            <h2>Latest events</h2>
            <a href={linkTo("events")}>All events</a>
          </header>
          {latest.length === 0 ? (
            <Empty icon="events" title={streamState.value === "off" ? "Your key shows no events" : "No events yet"} />
          ) : (
            <ul>
              {latest.map((event) => (
                <li key={event.seq}>
                  <a href={linkTo("events", event.seq)}>
                    <EventDot type={event.type} />
                    <code>{event.type}</code>
                    <span class="feed-text">{describeEvent(event, names)}</span>
                    <Time at={event.timestamp} />
                  </a>
                </li>
              ))}
            </ul>
          )}
        </section>
        <section class="card server" aria-label="Server">
          <header>
            <h2>Server</h2>
            {now !== undefined && <Badge tone="ok">up</Badge>}
          </header>
          <dl class="facts compact">
            <div>
              <dt>Storage</dt>
              <dd>{now?.storage ?? "–"}</dd>
            </div>
            <div>
              <dt>Up for</dt>
              <dd>{now === undefined ? "–" : duration(now.uptime)}</dd>
            </div>
            <div>
              <dt>Log</dt>
              <dd>{now === undefined ? "–" : `${number(now.events.earliest)} to ${number(now.events.latest)}`}</dd>
            </div>
            <div>
              <dt>Followers</dt>
              <dd>{now === undefined ? "–" : number(now.events.subscribers)}</dd>
            </div>
            <div>
              <dt>Transactions a commit</dt>
              <dd>
                {now === undefined || now.commits.count === 0
                  ? "–"
                  : (now.commits.transactions / now.commits.count).toFixed(2)}
              </dd>
            </div>
            <div>
              <dt>Waiting</dt>
              <dd>{now === undefined ? "–" : number(now.transactions.waiting)}</dd>
            </div>
          </dl>
        </section>
      </div>
    </>
  )
}
