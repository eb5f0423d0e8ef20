import { signal } from "@preact/signals"

/** The time, read each second while the page can be seen: relative times and charts follow it. */
export const clock = signal(Date.now())

const tick = (): void => {
  if (!document.hidden) clock.value = Date.now()
}
setInterval(tick, 1000)
document.addEventListener("visibilitychange", tick)
