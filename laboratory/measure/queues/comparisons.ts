import type { Comparison } from "../Comparison.ts"
import { processSide } from "../inProcess/processSide.ts"

const side = processSide(new URL("contenders.ts", import.meta.url))
const onPostgres = { isOnPostgres: true }

const againstLibraries = (what: "queued" | "delivered"): Comparison => ({
  does: `PostgreSQL, message ${what}`,
  sides: [
    side("ours", `${what}, PostgreSQL`, onPostgres),
    side("pg-boss", `${what}, pg-boss`, onPostgres),
    side("graphile-worker", `${what}, graphile-worker`, onPostgres)
  ],
  why: "queue"
})

export const queueComparisons: ReadonlyArray<Comparison> = [
  { does: "message queued", sides: [side("ours", "queued"), side("by hand", "queued by hand")], why: "queue" },
  { does: "message delivered", sides: [side("ours", "delivered"), side("by hand", "delivered by hand")], why: "queue" },
  {
    does: "events of a late consumer",
    sides: [side("ours", "consumer"), side("by hand", "consumer by hand")],
    why: "consumer"
  },
  {
    does: "order with a webhook",
    sides: [side("ours", "webhooks"), side("by hand", "webhooks by hand")],
    why: "queue"
  },
  againstLibraries("queued"),
  againstLibraries("delivered")
]
