import { duration } from "../../ui/text.ts"
import type { Delivery } from "./delivery.ts"

/** When attempts follow each other, in seconds: see docs/webhooks.md, Attempts. */
const schedule = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]

export const Attempts = ({ delivery }: { delivery: Delivery }) => (
  <ol class="attempts" aria-label={`${delivery.attempts} of 10 attempts were made`}>
    {Array.from({ length: 10 }, (_, at) => {
      const made = at < delivery.attempts
      const last = at === delivery.attempts - 1
      const tone = !made ? "" : last && delivery.status === "delivered" ? "ok" : "bad"
      const wait = schedule[at - 1]
      return (
        <li
          key={at}
          class={tone}
          title={at === 0 ? "at once" : `attempt ${at + 1}: ${duration(wait ?? 0)} after the one before`}
        />
      )
    })}
  </ol>
)
