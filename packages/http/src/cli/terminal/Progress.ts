import { plain, type Style } from "./text.ts"

const everyMillis = 100
const widestBar = 40
const narrowestBar = 10

/** Where progress is shown, such as standard error. */
interface Display {
  readonly isTTY?: boolean
  readonly columns?: number
  write(text: string): unknown
}

interface ProgressOptions {
  /** Milliseconds. */
  readonly now: () => number
  readonly style?: Style
}

const duration = (millis: number): string => {
  const seconds = Math.ceil(millis / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** A progress bar with a text, such as counts, and the remaining time. Shows nothing without a terminal. */
export class Progress {
  private readonly display: Display
  private readonly now: () => number
  private readonly style: Style
  private readonly isShown: boolean
  private startedAt: number | undefined
  private shownAt: number | undefined
  private share = 0

  constructor(display: Display, { now, style = plain }: ProgressOptions) {
    this.display = display
    this.now = now
    this.style = style
    this.isShown = display.isTTY === true && process.env.TERM !== "dumb"
  }

  /** Shows the share of the work that is done, from 0 to 1, and a text. Before a step that may block this process, always. */
  show(done: string, share: number, mayBlock = false): void {
    if (!this.isShown) return
    const now = this.now()
    // Other work begins anew.
    if (this.startedAt === undefined || share < this.share) this.startedAt = now
    this.share = share
    if (!mayBlock && this.shownAt !== undefined && now - this.shownAt < everyMillis) return
    this.shownAt = now
    const elapsed = now - this.startedAt
    const left = elapsed < 1_000 || share === 0 ? "" : `, ${duration((elapsed / share) * (1 - share))} left`
    const text = `${String(Math.floor(share * 100)).padStart(3)} %  ${done}${left}`
    const columns = this.display.columns || 80
    this.display.write(`\r\x1b[K${this.bar(share, columns - text.length - 2)}${text.slice(0, columns - 1)}`)
  }

  clear(): void {
    if (this.shownAt !== undefined) this.display.write("\r\x1b[K")
    this.shownAt = undefined
  }

  /** A bar and a blank that fit into `room`; empty if the bar would be too short. */
  private bar(share: number, room: number): string {
    const width = Math.min(widestBar, room)
    if (width < narrowestBar) return ""
    const done = Math.round(Math.min(1, share) * width)
    return `${this.style("green", "█".repeat(done))}${this.style("dim", "░".repeat(width - done))} `
  }
}
