// The global one of other runtimes returns a number.
import { clearInterval, setInterval } from "node:timers"

/** How many responses a second are sent to clients without valid credentials. */
const responsesPerSecond = 1_000
/** How many of them may be sent at once after a pause. */
const burstResponses = 250
/** A large response counts as several: one more for this many bytes. */
export const bytesPerResponse = 32_768
/** The first response on a connection counts as this many more, because opening and closing one costs more than a request. */
const connectionCost = 3
/** How often delayed responses are sent, in milliseconds. */
const intervalMillis = 20

/** Sends a response. `last`: the connection ends with it. */
type Send = (last: boolean) => void

/**
 * Limits the rate of responses to clients without valid credentials: a token bucket, in which responses wait in their order. A
 * client that waits for its response sends no further request meanwhile; closing its connection would cost both sides more. Failed
 * authentication is not counted for each address, which is often that of a proxy: keys have 256 random bits.
 */
export class ResponseThrottle {
  private readonly now: () => number
  private readonly delayed = new Map<Send, number>()
  private credit = burstResponses
  private at: number
  private timer: NodeJS.Timeout | undefined

  /** `now`: milliseconds of a monotonic clock. */
  constructor(now: () => number = () => performance.now()) {
    this.now = now
    this.at = now()
  }

  /** How many responses are delayed. */
  get size(): number {
    return this.delayed.size
  }

  /** Sends a response of a number of bytes, now or later. `isFirst`: it is the first response on its connection. */
  send(bytes: number, response: Send, isFirst = false): void {
    const cost = 1 + bytes / bytesPerResponse + (isFirst ? connectionCost : 0)
    if (this.delayed.size === 0 && this.spend(cost)) {
      response(false)
    } else {
      this.delayed.set(response, cost)
      this.timer ??= setInterval(() => this.sendDue(), intervalMillis).unref()
    }
  }

  /** Sends the delayed responses that are due. */
  sendDue(): void {
    for (const [response, cost] of this.delayed) {
      if (!this.spend(cost)) return
      this.delayed.delete(response)
      response(false)
    }
    this.stop()
  }

  /** Sends all delayed responses, each as the last of its connection. */
  sendAll(): void {
    const all = [...this.delayed.keys()]
    this.delayed.clear()
    this.stop()
    for (const response of all) response(true)
  }

  private stop(): void {
    clearInterval(this.timer)
    this.timer = undefined
  }

  private spend(cost: number): boolean {
    const now = this.now()
    this.credit = Math.min(burstResponses, this.credit + ((now - this.at) * responsesPerSecond) / 1_000)
    this.at = now
    if (this.credit < 1) return false
    this.credit -= cost
    return true
  }
}
