import { meanGroup, type Stats } from "../../live/stats.ts"
import { Badge } from "../../ui/Badge.tsx"
import { duration, number } from "../../ui/text.ts"

export const ServerFacts = ({ now }: { now: Stats | undefined }) => {
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
