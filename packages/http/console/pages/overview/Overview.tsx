import { useEffect } from "preact/hooks"
import type { ServerStats } from "../../../src/api/Server.ts"
import { mayRead } from "../../api/scopes.ts"
import { petNames, wantNames } from "../../live/petNames.ts"
import { meanGroup, stats, statsError, wantFigures } from "../../live/stats.ts"
import { recent, streamState } from "../../live/stream.ts"
import { linkTo } from "../../router.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Icon } from "../../ui/Icon.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Empty } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { duration, number } from "../../ui/text.ts"
import { describeEvent } from "../events/describeEvent.ts"
import { EventDot } from "../events/EventDot.tsx"
import { Activity } from "./Activity.tsx"
import { concernsOf } from "./concerns.ts"
import { Tiles } from "./Tiles.tsx"

const runbook = "https://github.com/petstore-engine/petstore/blob/main/docs/runbook.md"

const Attention = ({ now }: { now: ServerStats | undefined }) => {
  const list = now === undefined ? [] : concernsOf(now)
  return (
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
          {list.map(({ alert, href, text, title, tone }) => (
            <li key={title}>
              <a href={href} class={tone}>
                <i aria-hidden="true" />
                <span>
                  <b>{title}</b>
                  <small>{text}</small>
                </span>
                <Icon name="chevron" size={14} />
              </a>
              <a
                class="help"
                href={`${runbook}#${alert.toLowerCase()}`}
                target="_blank"
                rel="noreferrer"
                aria-label={`What to do: ${title}`}
              >
                What to do
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const Feed = () => {
  const latest = recent.value.slice(0, 12)
  // Those of all recent events at once: a name that is asked for later is one more request.
  useEffect(() => wantNames(recent.value.map(({ data }) => data.petId)), [recent.value])
  return (
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
                <span class="feed-text">{describeEvent(event, petNames.value)}</span>
                <Time at={event.timestamp} />
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

const ServerFacts = ({ now }: { now: ServerStats | undefined }) => {
  const facts: ReadonlyArray<readonly [name: string, value: string | undefined]> = [
    ["Storage", now?.storage],
    ["Up for", now && duration(now.uptime)],
    ["Log", now && `${number(now.events.earliest)} to ${number(now.events.latest)}`],
    ["Followers", now && number(now.events.subscribers)],
    ["Transactions a commit", now && meanGroup(now.commits)],
    ["Waiting", now && number(now.transactions.waiting)]
  ]
  return (
    <section class="card server" aria-label="Server">
      <header>
        <h2>Server</h2>
        {now !== undefined && <Badge tone="ok">up</Badge>}
      </header>
      <dl class="facts compact">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value ?? "–"}</dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

export const Overview = () => {
  useEffect(wantFigures, [])
  const now = stats.value
  return (
    <>
      <PageHead title="Overview">{statsError.value !== "" && <Badge tone="bad">{statsError.value}</Badge>}</PageHead>
      {!mayRead("stats:read") && (
        <p class="muted">
          Your key shows no figures: it needs the scope <code>stats:read</code>.
        </p>
      )}
      <Tiles now={now} />
      <div class="columns">
        <Activity />
        <Attention now={now} />
        <Feed />
        <ServerFacts now={now} />
      </div>
    </>
  )
}
