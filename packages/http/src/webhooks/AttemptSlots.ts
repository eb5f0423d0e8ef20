import * as Effect from "effect/Effect"

interface Waiting {
  readonly start: () => void
}

interface Endpoint {
  running: number
  readonly waiting: Set<Waiting>
}

/**
 * Bounds how many attempts run at a time, and shares them between endpoints. Half of the slots is only for endpoints of which no
 * other attempt runs: an endpoint waits for attempts of others only if that many endpoints have one. The rest goes to the endpoints
 * of which the fewest run. Without such a reserve, endpoints that hang hold every slot; a limit for each endpoint has no bound in all.
 */
export class AttemptSlots {
  private readonly limit: number
  /** Those with attempts, the one that has waited the longest for its first one before the others. */
  private readonly endpoints = new Map<number, Endpoint>()
  private running = 0

  constructor(limit: number) {
    this.limit = limit
  }

  /** Makes an attempt as soon as there is a slot for its endpoint. */
  run<A>(webhookId: number, attempt: Effect.Effect<A>): Effect.Effect<A> {
    return Effect.suspend(() => {
      let onStart = (): void => {}
      const waiting = { start: () => onStart() }
      // Undefined as long as it has asked for no slot: it may be interrupted before.
      let endpoint: Endpoint | undefined
      const begun = Effect.suspend(() => {
        endpoint = this.endpoints.get(webhookId) ?? { running: 0, waiting: new Set() }
        this.endpoints.set(webhookId, endpoint)
        const { waiting: queue } = endpoint
        queue.add(waiting)
        this.start()
        return queue.has(waiting) ? Effect.andThen(started(queue), attempt) : attempt
      })
      const started = (queue: Endpoint["waiting"]) =>
        Effect.callback<void>((resume) => {
          onStart = () => resume(Effect.void)
          if (!queue.has(waiting)) onStart()
        })
      const leave = Effect.sync(() => {
        if (endpoint === undefined) return
        if (!endpoint.waiting.delete(waiting)) {
          endpoint.running--
          this.running--
        }
        this.endpoints.delete(webhookId)
        if (endpoint.running + endpoint.waiting.size > 0) this.endpoints.set(webhookId, endpoint)
        this.start()
      })
      return Effect.ensuring(begun, leave)
    })
  }

  private start(): void {
    for (let next = this.next(); next !== undefined; next = this.next()) {
      const { endpoint, waiting } = next
      endpoint.waiting.delete(waiting)
      endpoint.running++
      this.running++
      waiting.start()
    }
  }

  /** The next attempt that may start. */
  private next() {
    if (this.running >= this.limit) return undefined
    let next: { readonly endpoint: Endpoint; readonly waiting: Waiting } | undefined
    let further = 0
    for (const endpoint of this.endpoints.values()) {
      further += Math.max(0, endpoint.running - 1)
      const [waiting] = endpoint.waiting
      if (waiting === undefined || endpoint.running >= (next?.endpoint.running ?? Number.POSITIVE_INFINITY)) continue
      next = { endpoint, waiting }
    }
    const isFirst = next?.endpoint.running === 0
    return isFirst || further < this.limit / 2 ? next : undefined
  }
}
