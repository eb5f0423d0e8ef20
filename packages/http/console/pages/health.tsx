import { useSignal } from "@preact/signals"
import { useEffect } from "preact/hooks"
import { mayRead, readyUrl, stats, version, wantFigures } from "../api.ts"
import { Badge, capped, duration, Facts, NoScope, number } from "../ui.tsx"

export const Health = () => {
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
  useEffect(wantFigures, [])
  const now = stats.value
  return (
    <>
      <header class="page-head">
        <h1>Health</h1>
        <Badge tone={ready.value === undefined ? "idle" : ready.value === "ready" ? "ok" : "bad"}>
          {ready.value ?? "looking"}
        </Badge>
      </header>
      {!mayRead("stats:read") && <NoScope scope="stats:read" />}
      {now !== undefined && (
        <div class="halves">
          <section class="card">
            <header>
              <h2>Transactions</h2>
            </header>
            <Facts
              of={[
                ["Committed", number(now.transactions.committed)],
                ["Rejected", number(now.transactions.rejected)],
                ["Tried again", number(now.transactions.retried)],
                ["Failed", number(now.transactions.failed)],
                ["Waiting now", number(now.transactions.waiting)]
              ]}
            />
          </section>
          <section class="card">
            <header>
              <h2>Commits</h2>
            </header>
            <Facts
              of={[
                ["Commits", number(now.commits.count)],
                ["Transactions in them", number(now.commits.transactions)],
                ["Most in one", number(now.commits.largest)],
                [
                  "In the mean",
                  now.commits.count === 0 ? undefined : (now.commits.transactions / now.commits.count).toFixed(2)
                ]
              ]}
            />
          </section>
          <section class="card">
            <header>
              <h2>Event log</h2>
            </header>
            <Facts
              of={[
                ["First kept", number(now.events.earliest)],
                ["Last", number(now.events.latest)],
                ["Followers here", number(now.events.subscribers)],
                ["The slowest is behind by", number(now.events.lag)]
              ]}
            />
          </section>
          <section class="card">
            <header>
              <h2>Server</h2>
            </header>
            <Facts
              of={[
                ["Version", version],
                ["Storage", now.storage],
                ["Up for", duration(now.uptime)],
                ["Reservations overdue", capped(now.reservations.overdue, 10_000)]
              ]}
            />
          </section>
        </div>
      )}
      <section class="card">
        <header>
          <h2>Check every invariant</h2>
        </header>
        <p class="muted">
          <code>petstore verify --storage …</code> reads the whole store and checks that nothing is oversold. It runs as
          a command, since its cost grows with the store.
        </p>
      </section>
    </>
  )
}
