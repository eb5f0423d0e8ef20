import type { Event } from "@petstore/core/domain"
import type { EventToAppend, WebhookOutcome, WebhookRequest, WebhookSender } from "@petstore/core/ports"
import type { MessageHandler } from "@petstore/core/runtime"
import * as Effect from "effect/Effect"
import { deliveredTypes } from "./Clients.ts"
import type { CommitChecks } from "./CommitChecks.ts"
import type { Scene } from "./FaultPlan.ts"
import type { Process } from "./Timeline.ts"

/** What subscribers of events and messages have got, and how they misbehave. */
export class Subscribers {
  /** The events that the consumer has handled, by `seq`. */
  readonly handled = new Set<number>()
  /** The texts of messages that were delivered. */
  readonly messages = new Set<string>()
  /** The ids of events that each webhook has delivered, by the id of the webhook. */
  private readonly received = new Map<number, Set<string>>()
  private readonly scene: Scene
  private readonly checks: CommitChecks

  constructor(scene: Scene, checks: CommitChecks) {
    this.scene = scene
    this.checks = checks
  }

  readonly onEvent = (process: Process, { id, seq, subject, type }: Event): Effect.Effect<void, Error> =>
    Effect.suspend(() => {
      this.scene.log(`${process.name} handles event ${seq}, ${type}`)
      if (this.checks.eventIds.get(id) !== seq)
        this.scene.problem(`The consumer gets event ${seq}, ${id}, which was not committed`)
      return this.atWork(() => {
        const before = this.checks.events.findLast((event, place) => event.subject === subject && place < seq - 1)
        const earlier = before && this.checks.eventIds.get(before.id)
        if (earlier !== undefined && !this.handled.has(earlier)) {
          this.scene.problem(`The consumer handles event ${seq} of ${subject} before event ${earlier}`)
        }
        this.handled.add(seq)
      })
    })

  readonly onMessage: MessageHandler<Error> = ({ message }) =>
    this.atWork(() => {
      this.messages.add(message)
    })

  readonly sender: WebhookSender["Service"] = {
    urlProblem: () => undefined,
    send: (request) => this.receive(request)
  }

  /** The first event that a webhook should have delivered and has not, of all since its creation or of those with one subject. */
  undelivered(created: EventToAppend, subject?: string): EventToAppend | undefined {
    const { events } = this.checks
    const received = this.received.get(Object(created.data).id)
    return events
      .slice(events.indexOf(created))
      .find(
        (event) =>
          deliveredTypes.includes(event.type) &&
          (subject === undefined || event.subject === subject) &&
          received?.has(event.id) !== true
      )
  }

  /** An ordered webhook sends an event only when all earlier ones of the same subject are delivered. */
  private checkOrder({ body, id, url, webhookId }: WebhookRequest): void {
    const created = this.checks.events.find(({ subject }) => subject === `webhooks/${webhookId}`)
    if (created === undefined || !Object(created.data).ordered) return
    const { eventIds } = this.checks
    const { subject } = JSON.parse(body)
    const first = this.undelivered(created, subject)
    if (first !== undefined && Number(eventIds.get(first.id)) < Number(eventIds.get(id))) {
      this.scene.problem(`${url} gets ${id} of ${subject} before ${first.type} ${first.id}`)
    }
  }

  private receive(request: WebhookRequest): Effect.Effect<WebhookOutcome> {
    const { body, id, timeout, url, webhookId } = request
    const { dice } = this.scene.faults
    const get = (): void => {
      this.received.set(webhookId, (this.received.get(webhookId) ?? new Set()).add(id))
    }
    const lost: WebhookOutcome = { delivered: false, reason: "connection", message: "The connection broke" }
    return Effect.gen({ self: this }, function* () {
      yield* Effect.sleep(dice.between(1, 300))
      this.scene.log(`${url} gets ${id}`)
      if (!this.checks.eventIds.has(id)) this.scene.problem(`${url} gets event ${id}, which was not committed: ${body}`)
      this.checkOrder(request)
      if (!this.scene.faults.happens("receivers")) {
        get()
        return { delivered: true, status: 204 } as const
      }
      const kind = dice.between(1, 4)
      if (kind === 1) return { delivered: false, reason: "status", status: 500, message: "It failed" } as const
      if (kind === 2) return lost
      yield* Effect.sleep(timeout)
      if (kind === 3) return { delivered: false, reason: "timeout", message: "There was no response" } as const
      get()
      return lost
    })
  }

  /** What a handler does, which may take long, fail before and fail after. */
  private atWork(work: () => void): Effect.Effect<void, Error> {
    const { dice } = this.scene.faults
    return Effect.gen({ self: this }, function* () {
      if (this.scene.faults.happens("handlers")) yield* Effect.sleep(dice.between(100, 40_000))
      if (this.scene.faults.happens("handlers")) return yield* Effect.fail(new Error("It failed before"))
      work()
      if (this.scene.faults.happens("handlers")) return yield* Effect.fail(new Error("It failed afterwards"))
    })
  }
}
