import { useEffect } from "preact/hooks"
import { mayRead } from "../../api/scopes.ts"
import { stats, statsError, wantFigures } from "../../live/stats.ts"
import { Badge } from "../../ui/Badge.tsx"
import { PageHead } from "../../ui/PageHead.tsx"
import { Activity } from "./Activity.tsx"
import { Attention } from "./Attention.tsx"
import { Feed } from "./Feed.tsx"
import { ServerFacts } from "./ServerFacts.tsx"
import { Tiles } from "./Tiles.tsx"

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
