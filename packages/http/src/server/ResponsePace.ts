/** How many responses a second are sent to clients without valid credentials. */
const perSecond = 1_000
/** How many of them may be sent at once after a quiet moment. */
const burst = 250
/** How often delayed responses are sent, in milliseconds. */
const interval = 20

/** Sends a response. `last`: the connection ends with it. */
type Send = (last: boolean) => void

/**
 * Limits what clients without valid credentials cost: so many of their responses are sent at once, the others in the order in
 * which they came, at a steady rate. A client that waits for its response sends nothing meanwhile.
 */
export class ResponsePace {
  private readonly now: () => number
  private readonly delayed = new Set<Send>()
  private credit = burst
  private at: number
  private timer: NodeJS.Timeout | undefined

  /** `now`: milliseconds of a clock that is never set back. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
    this.at = now()
  }

  /** How many responses are delayed. */
  get size(): number {
    return this.delayed.size
  }

  /** Sends a response, now or when it is its turn. */
  send(response: Send): void {
    if (this.delayed.size === 0 && this.spend()) {
      response(false)
    } else {
      this.delayed.add(response)
      this.timer ??= setInterval(() => this.sendDue(), interval).unref()
    }
  }

  /** Sends the delayed responses that are due. */
  sendDue(): void {
    for (const response of this.delayed) {
      if (!this.spend()) return
      this.delayed.delete(response)
      response(false)
    }
    this.stop()
  }

  /** Sends all delayed responses, each as the last of its connection. */
  sendAll(): void {
    const all = [...this.delayed]
    this.delayed.clear()
    this.stop()
    for (const response of all) response(true)
  }

  private stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private spend(): boolean {
    const now = this.now()
    this.credit = Math.min(burst, this.credit + ((now - this.at) * perSecond) / 1_000)
    this.at = now
    if (this.credit < 1) return false
    this.credit -= 1
    return true
  }
}
