import { useSignal } from "@preact/signals"
import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { ServerStats } from "../../src/api/Server.ts"
import { mayRead } from "../api/scopes.ts"
import { readyUrl, version } from "../api/server.ts"
import { meanGroup, stats, wantFigures } from "../live/stats.ts"
import { Badge } from "../ui/Badge.tsx"
import { Facts } from "../ui/Facts.tsx"
import { PageHead } from "../ui/PageHead.tsx"
import { NoScope } from "../ui/states.tsx"
import { Time } from "../ui/Time.tsx"
import { capped, duration, number } from "../ui/text.ts"

/** What the probe says, read each five seconds. */
const useReady = (): string | undefined => {
  const ready = useSignal<string | undefined>(undefined)
  useEffect(() => {
    const look = (): void => {
      if (document.hidden) return
      fetch(readyUrl, { cache: "no-store" }).then(
        (response) => (ready.value = response.ok ? "ready" : `not ready (${response.status})`),
        () => (ready.value = "cannot be reached")
      )
    }
    look()
    const timer = setInterval(look, 5000)
    return () => clearInterval(timer)
  }, [])
  return ready.value
}

const Card = ({ children, title }: { title: string; children: ComponentChildren }) => (
  <section class="card">
    <header>
      <h2>{title}</h2>
    </header>
    {children}
  </section>
)

type FactList = ReadonlyArray<readonly [name: string, value: ComponentChildren]>

const factsOf = ({
  commits,
  events,
  reservations,
  storage,
  transactions,
  uptime
}: ServerStats): Readonly<Record<string, FactList>> => ({
  Transactions: [
    ["Committed", number(transactions.committed)],
    ["Rejected", number(transactions.rejected)],
    ["Tried again", number(transactions.retried)],
    ["Failed", number(transactions.failed)],
    ["Waiting now", number(transactions.waiting)]
  ],
  Commits: [
    ["Commits", number(commits.count)],
    ["Transactions in them", number(commits.transactions)],
    ["Most in one", number(commits.largest)],
    ["In the mean", meanGroup(commits)]
  ],
  "Event log": [
    ["First kept", number(events.earliest)],
    ["Last", number(events.latest)],
    ["Followers here", number(events.subscribers)],
    ["The slowest is behind by", number(events.lag)]
  ],
  Server: [
    ["Version", version],
    ["Storage", storage],
    ["Up for", duration(uptime)],
    ["Reservations overdue", capped(reservations.overdue, 10_000)]
  ]
})

const LastVerification = ({
  last: { at, checks, ok, violations }
}: {
  last: NonNullable<ServerStats["verification"]>
}) => (
  <Facts
    of={[
      ["Last verified", <Time at={at} />],
      [
        "Result",
        <Badge tone={ok ? "ok" : "bad"}>{ok ? "every invariant holds" : `${number(violations)} violations`}</Badge>
      ],
      ["Invariants", number(checks)]
    ]}
  />
)

export const Health = () => {
  const ready = useReady()
  useEffect(wantFigures, [])
  const now = stats.value
  return (
    <>
      <PageHead title="Health">
        <Badge tone={ready === undefined ? "idle" : ready === "ready" ? "ok" : "bad"}>{ready ?? "looking"}</Badge>
      </PageHead>
      {!mayRead("stats:read") && <NoScope scope="stats:read" />}
      {now !== undefined && (
        <div class="halves">
          {Object.entries(factsOf(now)).map(([title, facts]) => (
            <Card key={title} title={title}>
              <Facts of={facts} />
            </Card>
          ))}
        </div>
      )}
      <Card title="Check every invariant">
        {now?.verification !== undefined && <LastVerification last={now.verification} />}
        <p class="muted">
          <code>petstore verify --record --storage …</code> reads the whole store and checks that nothing is oversold.
          It runs as a command, since its cost grows with the store.
        </p>
      </Card>
    </>
  )
}
