import type { PetstoreError } from "@petstore/core/domain"
import { askNext } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type { HttpResponse } from "./HttpResponse.ts"
import type { PendingRequests } from "./limits/PendingRequests.ts"
import type { WorkShares } from "./limits/WorkShares.ts"
import type { RequestContext } from "./RequestContext.ts"
import type { Route } from "./routes/Route.ts"

type Outcome = Exit.Exit<HttpResponse, PetstoreError>

const nothing = (): void => {}

/** Runs the routes of requests: without a fiber, unless they wait for more than their body and their commit. */
export class RequestRunner {
  /** Responds to a request with the outcome of its route. Does not throw. */
  private readonly respond: (exit: Outcome, context: RequestContext, route: Route) => void
  private readonly pending: PendingRequests
  private readonly shares: WorkShares
  private running = 0

  constructor(pending: PendingRequests, shares: WorkShares, respond: RequestRunner["respond"]) {
    this.pending = pending
    this.shares = shares
    this.respond = respond
  }

  /** How many operations have begun, and have no response yet. */
  get operations(): number {
    return this.running
  }

  /** Runs a route for a request whose headers have come. Its time counts to the caller. */
  start(context: RequestContext, route: Route, begin: () => Effect.Effect<HttpResponse, PetstoreError>): void {
    this.measure(context, () => {
      let isDone = false
      const cancel = askNext(begin, context, (exit) => {
        isDone = true
        this.end(context, route, exit)
      })
      // What is checked later, for example for a stream, is checked anew.
      context.arrival = undefined
      if (!isDone) this.wait(context, route, cancel)
    })
  }

  private wait(context: RequestContext, { kind }: Route, cancel: () => void): void {
    context.isWaiting = true
    context.interrupt = cancel
    this.pending.add(context)
    if (kind === "operation") this.running++
    context.request.onDisconnect(() => context.disconnect())
  }

  private end(context: RequestContext, route: Route, exit: Outcome): void {
    if (context.isWaiting) {
      context.isWaiting = false
      context.interrupt = nothing
      if (route.kind === "operation") this.running--
      this.pending.delete(context)
    }
    this.measure(context, () => this.respond(exit, context, route))
  }

  private measure(context: RequestContext, work: () => void): void {
    this.shares.measure(work, () => context.callerId)
  }
}
