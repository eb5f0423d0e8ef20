import { mayRead } from "../api/scopes.ts"
import { type History, hasSubjects, useHistory } from "../lists/useHistory.ts"
import { linkTo } from "../router.ts"
import { Button } from "../ui/Button.tsx"
import { Section } from "../ui/Section.tsx"
import { Failed } from "../ui/states.tsx"
import { Time } from "../ui/Time.tsx"
import { EventDot } from "./events/EventDot.tsx"

/** The events of a resource, such as `orders/12`; undefined if none of the scopes shows them. */
export const useHistoryOf = (subject: string, ...scopes: ReadonlyArray<string>): History | undefined => {
  const seesEvents = ["events:read", ...scopes].some(mayRead)
  const history = useHistory(seesEvents ? subject : undefined)
  return seesEvents ? history : undefined
}

/** What happened to a resource, the newest first. */
export const HistoryList = ({ of: { error, events, further, looking, retry } }: { of: History }) => (
  <>
    <ol class="timeline">
      {events.map(({ seq, timestamp, type }) => (
        <li key={seq}>
          <EventDot type={type} />
          <a href={linkTo("events", seq)}>{type.slice(type.indexOf(".") + 1).replaceAll("_", " ")}</a>
          <Time at={timestamp} />
        </li>
      ))}
    </ol>
    {error !== undefined && <Failed error={error} retry={retry} />}
    {looking && <p class="muted small">Looking through the log…</p>}
    {further !== undefined && (
      <Button kind="quiet" onClick={further}>
        Look further back
      </Button>
    )}
    {!hasSubjects() && (
      <p class="muted small">
        This searches the log, a thousand events at a time. To find all at once, add <code>events.subject</code> to the
        flag <code>--indexes</code> of <code>petstore serve</code>, or to the option <code>indexes</code> of your app.
      </p>
    )}
  </>
)

export const HistorySection = ({ history }: { history: History | undefined }) =>
  history === undefined ? null : (
    <Section title="History">
      <HistoryList of={history} />
    </Section>
  )
