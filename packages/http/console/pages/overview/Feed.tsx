import { useEffect } from "preact/hooks"
import { petNames, wantNames } from "../../live/petNames.ts"
import { recent, streamState } from "../../live/stream.ts"
import { linkTo } from "../../router.ts"
import { Empty } from "../../ui/states.tsx"
import { Time } from "../../ui/Time.tsx"
import { describeEvent } from "../events/describeEvent.ts"
import { EventDot } from "../events/EventDot.tsx"

/** The latest events. */
export const Feed = () => {
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
