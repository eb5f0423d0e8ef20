import type { PetstoreError } from "@petstore/core/domain"
import { HttpPetstore } from "@petstore/http/client"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { callsOf } from "../../packages/http/src/cli/prove/judge.ts"
import { runLoad, type Shop } from "../../packages/http/src/cli/prove/load.ts"
import type { Entry } from "../../packages/http/src/cli/prove/ProofLog.ts"
import { type ProofReport, reportOf } from "../../packages/http/src/cli/prove/ProofReport.ts"
import { readBack } from "../../packages/http/src/cli/prove/readBack.ts"

/** A server that clients call. */
export interface CalledServer {
  readonly name: string
  /** With the base path of its API. */
  readonly api: string
  readonly key: string
}

/** One attempt of a call. Times are those of `performance.now()`. */
export interface Attempt {
  readonly server: CalledServer
  readonly sentAt: number
  readonly at: number
  readonly error: PetstoreError | undefined
}

/** Long enough to see how long a server takes; the load repeats what has failed. */
const clientOf = ({ api, key }: CalledServer) => {
  const layer = HttpPetstore.layer({ baseUrl: api, key, retries: 0, timeout: 60_000 })
  return Context.get(Effect.runSync(Effect.scoped(Layer.build(layer))), HttpPetstore)
}

/** The shop of a server, each of whose calls is kept. */
const observed = (server: CalledServer, attempts: Array<Attempt>): Shop => {
  const seen = <A>(call: Effect.Effect<A, PetstoreError>): Effect.Effect<A, PetstoreError> =>
    Effect.gen(function* () {
      const sentAt = performance.now()
      const result = yield* Effect.result(call)
      const error = Result.isFailure(result) ? result.failure : undefined
      attempts.push({ server, sentAt, at: performance.now(), error })
      return yield* Effect.fromResult(result)
    })
  const { categories, inventory, orders, pets } = clientOf(server)
  return {
    categories,
    pets,
    orders: {
      place: (...args) => seen(orders.place(...args)),
      complete: (...args) => seen(orders.complete(...args)),
      cancel: (...args) => seen(orders.cancel(...args))
    },
    inventory: { set: inventory.set, adjust: (...args) => seen(inventory.adjust(...args)) }
  }
}

interface ServerLoadOptions {
  readonly seed: number
  readonly clients: number
  /** Seconds for what has no result when the load ends. */
  readonly wait: number
}

/** The load of `petstore prove` on servers, until it is told to end. */
export class ServerLoad {
  readonly attempts: Array<Attempt> = []
  private readonly entries: Array<Entry> = []
  private readonly proof: string
  private readonly server: CalledServer
  private readonly stop = new AbortController()
  private readonly ended: Promise<void>

  constructor(
    servers: readonly [CalledServer, ...ReadonlyArray<CalledServer>],
    { clients, seed, wait }: ServerLoadOptions
  ) {
    const [first, ...others] = servers
    this.proof = `load-${seed}`
    this.server = first
    const load = runLoad({
      proof: this.proof,
      log: { add: (entry) => void this.entries.push(entry) },
      shops: [observed(first, this.attempts), ...others.map((server) => observed(server, this.attempts))],
      clients,
      seconds: 24 * 60 * 60,
      pause: 0,
      wait,
      stop: Effect.callback((resume) =>
        this.stop.signal.addEventListener("abort", () => resume(Effect.void), { once: true })
      ),
      onProgress: () => {}
    })
    this.ended = Effect.runPromise(Random.withSeed(load, seed))
    // Whoever ends it hears of it.
    this.ended.catch(() => {})
  }

  get acknowledged(): number {
    return this.attempts.filter(({ error }) => error === undefined).length
  }

  /** The orders whose placing was acknowledged. */
  get placed(): ReadonlySet<number> {
    const results = callsOf(this.entries).flatMap(({ acknowledged }) => acknowledged)
    return new Set(results.flatMap(({ orderId }) => (orderId === undefined ? [] : [orderId])))
  }

  /** Lets the clients end what they have begun, and send some of it again. */
  end(): Promise<void> {
    this.stop.abort()
    return this.ended
  }

  /** Compares what the clients were told with what a server has now. */
  async judge(violations: ReadonlyArray<string>): Promise<ProofReport> {
    const { entries, proof } = this
    const petIds = entries.flatMap((entry) => (entry.type === "pet" ? [entry.petId] : []))
    const found = await Effect.runPromise(readBack(clientOf(this.server), petIds))
    return reportOf({ proof, schema: "", entries }, { ...found, violations, primaries: [] })
  }
}
