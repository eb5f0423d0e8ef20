import { signal } from "@preact/signals"
import { duration } from "./text.ts"

/** The time, read each second while the page can be seen: relative times and charts follow it. */
export const clock = signal(Date.now())

const tick = (): void => {
  if (!document.hidden) clock.value = Date.now()
}
setInterval(tick, 1000)
document.addEventListener("visibilitychange", tick)

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** How long ago, or how long until. The whole date and time are in its title, and in `datetime` in UTC. */
export const Time = ({ at }: { at: string | undefined }) => {
  if (at === undefined) return <span class="muted">–</span>
  const seconds = (clock.value - Date.parse(at)) / 1000
  const text = Math.abs(seconds) < 2 ? "now" : seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(seconds)}`
  return (
    <time dateTime={at} title={absolute.format(new Date(at))}>
      {text}
    </time>
  )
}
