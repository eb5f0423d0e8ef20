import type { EventType } from "@petstore/core/domain"
import type { Petstore } from "@petstore/core/effect"
import { type Command, Model } from "@petstore/testing"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type { Scene } from "./FaultPlan.ts"
import type { InventoryRow, ObservedCall } from "./linearizability.ts"
import type { Shop } from "./Shop.ts"
import type { Process } from "./Timeline.ts"

type Api = Petstore["Service"]

/** The error codes after which nothing was changed, and the same call may succeed later. */
const transient = [
  "storage_busy",
  "storage_unavailable",
  "shutting_down",
  "overloaded",
  "request_timeout",
  "idempotency_in_progress"
]

/** Milliseconds after which a client expects no response any more, and which it waits before it repeats a call. */
const patience = 6_000
const longestPause = 500

/** How often a client repeats a call that it may repeat. */
const mostAttempts = 100

/** How a call has ended: with its result or error; `lost` if its client cannot know. */
type Response<A> = Exit.Exit<A, { readonly code: string }> | "lost"

/** A placement with a ship date of its own, by which its events are found. */
export interface Placement {
  readonly shipDate: string
  readonly hasKey: boolean
  /** The order, if the client knows that it was placed. */
  orderId?: number
}

/** The stock of a pet that a client has read, and its version. */
interface Reading {
  readonly stock: InventoryRow
  readonly version: number
}

/** Clients that call any process of the shop over a network, and note what they see. */
export class Clients {
  readonly calls: Array<ObservedCall> = []
  /** The shop before the first of these calls. */
  readonly model = new Model()
  readonly placements: Array<Placement> = []
  /** The texts of messages of which a client knows that they are queued. */
  readonly messages: Array<string> = []
  /** The subjects of the events that each user has seen. */
  readonly seen = new Map<string, ReadonlyArray<string>>()
  private readonly shop: Shop
  private readonly scene: Scene
  private readonly self: Process = { name: "clients", isAlive: true, isPaused: false, clockOffset: 0 }
  private readonly orders: Array<{ readonly id: number; readonly petId: number }> = []
  readonly pets: Array<number> = []
  private moments = 0
  private keys = 0

  constructor(shop: Shop, scene: Scene) {
    this.shop = shop
    this.scene = scene
  }

  /** Runs what clients do, and calls a function when it has ended. */
  run(effect: Effect.Effect<void>, onEnd: () => void): void {
    Effect.runForkWith(this.scene.timeline.contextOf(this.self))(effect).addObserver((exit) => {
      if (Exit.isFailure(exit)) this.scene.problem(`A client dies: ${Cause.pretty(exit.cause)}`)
      onEnd()
    })
  }

  /** Opens the shop: a category, pets with stock, and receivers of webhooks. */
  readonly setUp = (pets: number): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      const { id: categoryId } = yield* this.certain("a category", (api, idempotencyKey) =>
        api.categories.create({ name: "Dogs" }, { idempotencyKey })
      )
      this.model.run({ type: "createCategory", name: "Dogs" }, { code: "ok", id: categoryId })
      for (let number = 1; number <= pets; number++) {
        const { id } = yield* this.certain("a pet", (api, idempotencyKey) =>
          api.pets.create({ name: `Rex ${number}`, categoryId }, { idempotencyKey })
        )
        this.model.run({ type: "createPet", categoryId }, { code: "ok", id })
        this.pets.push(id)
      }
      for (const { ordered, url } of receivers) {
        yield* this.certain("a webhook", (api) => webhookOnce(api, url, ordered))
      }
    })

  /** One client, which makes this number of calls. */
  readonly shopping = (calls: number): Effect.Effect<void> =>
    Effect.gen({ self: this }, function* () {
      for (let made = 0; made < calls; made++) {
        yield* Effect.sleep(this.scene.faults.dice.between(0, 50))
        yield* this.oneCall
      }
    })

  /** Reads the stock of every pet, and as each user the events. */
  readonly readAll: Effect.Effect<void> = Effect.gen({ self: this }, function* () {
    for (const petId of this.pets) yield* this.read(petId)
    for (const user of users) {
      const { items } = yield* this.certain("events", (api) => api.as({ user }).events.list({ limit: 100 }))
      this.seen.set(
        user,
        items.map(({ subject }) => subject)
      )
    }
  })

  private readonly oneCall: Effect.Effect<void> = Effect.suspend(() => {
    const { dice } = this.scene.faults
    const petId = dice.pick(this.pets) ?? 0
    const known = dice.pick(this.orders)
    const kind = dice.between(1, 100)
    if (kind <= 8) return Effect.asVoid(this.read(petId))
    if (kind <= 18) return this.enqueue
    if (kind <= 25) {
      const command: Command = { type: "setStock", petId, quantity: dice.between(0, 9) }
      return dice.isHit(0.5) ? this.change(petId, command) : this.changeAsRead(petId, command)
    }
    if (kind <= 30) {
      const status = dice.pick(["available", "pending", "sold"] as const) ?? "available"
      return this.change(petId, { type: "updatePet", petId, status })
    }
    if (kind <= 60 || known === undefined) {
      const order = { petId, quantity: dice.between(1, 3) }
      return this.change(petId, { type: "placeOrder", ...order, ...(dice.isHit(0.1) ? { complete: true } : {}) })
    }
    const { id: orderId, petId: ordered } = known
    if (kind <= 75) return this.change(ordered, { type: "updateOrder", orderId, complete: true })
    if (kind <= 85) return this.change(ordered, { type: "updateOrder", orderId, quantity: dice.between(1, 4) })
    return this.change(ordered, { type: "cancelOrder", orderId })
  })

  private readonly enqueue: Effect.Effect<void> = Effect.suspend(() => {
    const text = `Feed ${++this.keys}`
    return Effect.map(
      this.certain("a message", (api, idempotencyKey) => api.messages.enqueue(text, { idempotencyKey })),
      () => {
        this.messages.push(text)
      }
    )
  })

  private read(petId: number): Effect.Effect<Reading> {
    const call = this.begin(petId, "read")
    return Effect.map(
      this.certain(`the stock of pet ${petId}`, (api) => api.inventory.get(petId)),
      ({ available, quantity, reserved, status, version }) => {
        const stock = { petId, quantity, reserved, available, status }
        this.end(call, stock)
        return { stock, version }
      }
    )
  }

  /** Reads the stock of a pet, and changes it unless it has changed since. */
  private changeAsRead(petId: number, command: Command): Effect.Effect<void> {
    return Effect.gen({ self: this }, function* () {
      const reading = yield* this.read(petId)
      yield* Effect.sleep(this.scene.faults.dice.between(0, longestPause))
      yield* this.change(petId, command, reading)
    })
  }

  private change(petId: number, command: Command, reading?: Reading): Effect.Effect<void> {
    const { dice } = this.scene.faults
    const idempotencyKey = dice.isHit(0.85) ? `key-${++this.keys}` : undefined
    const placement: Placement | undefined =
      command.type === "placeOrder"
        ? {
            shipDate: new Date(Date.UTC(2040, 0, 1) + this.placements.length).toISOString(),
            hasKey: idempotencyKey !== undefined
          }
        : undefined
    if (placement !== undefined) this.placements.push(placement)
    const call = this.begin(petId, command, reading?.stock)
    const ifVersion = reading?.version
    const text = `${JSON.stringify(command)}${ifVersion === undefined ? "" : ` of version ${ifVersion}`}${idempotencyKey === undefined ? "" : ` with ${idempotencyKey}`}`
    const user = command.type === "placeOrder" ? dice.pick([undefined, ...users]) : undefined
    const use = (api: Api) =>
      perform(user === undefined ? api : api.as({ user }), command, { idempotencyKey, ifVersion }, placement?.shipDate)
    return Effect.map(this.repeated(text, idempotencyKey !== undefined, use), (response) => {
      this.scene.log(`${text}: ${described(response)}`)
      if (response === "lost") return
      if (Exit.isFailure(response)) {
        const { code } = Cause.squash(response.cause) as { readonly code: string }
        this.end(call, { code })
        return
      }
      const id = response.value
      this.end(call, id === undefined ? { code: "ok" } : { code: "ok", id })
      if (placement === undefined || id === undefined) return
      placement.orderId = id
      this.orders.push({ id, petId })
    })
  }

  /** A call that is repeated until it succeeds. */
  private certain<A>(
    text: string,
    use: (api: Api, idempotencyKey: string) => Effect.Effect<A, { readonly code: string }>
  ): Effect.Effect<A> {
    const key = `key-${++this.keys}`
    return Effect.flatMap(
      this.repeated(text, true, (api) => use(api, key)),
      (response) =>
        response === "lost" || Exit.isFailure(response)
          ? Effect.die(new Error(`${text} with ${key} fails: ${described(response)}`))
          : Effect.succeed(response.value)
    )
  }

  /**
   * Makes a call, and repeats it while that is safe. `lost` if an attempt may have had an effect, or may have one later, and no attempt has
   * returned a result.
   */
  private readonly repeated = <A>(
    text: string,
    isRepeatable: boolean,
    use: (api: Api) => Effect.Effect<A, { readonly code: string }>
  ): Effect.Effect<Response<A>> =>
    Effect.gen({ self: this }, function* () {
      let isOpen = false
      for (let attempt = 1; attempt <= mostAttempts; attempt++) {
        if (attempt > 1) yield* Effect.sleep(this.scene.faults.dice.between(1, longestPause))
        const { isDoubled, response } = yield* this.request(isRepeatable, use)
        isOpen ||= isDoubled
        if (response === "lost") {
          if (!isRepeatable) return "lost"
          isOpen = true
          continue
        }
        if (Exit.isSuccess(response)) return response
        if (Cause.hasDies(response.cause)) {
          this.scene.problem(`${text} dies: ${Cause.pretty(response.cause)}`)
          return "lost"
        }
        const { code } = Cause.squash(response.cause) as { readonly code: string }
        if (code === "internal_error") this.scene.problem(`${text} fails: ${Cause.pretty(response.cause)}`)
        if (code === "commit_unknown") {
          if (!isRepeatable) return "lost"
          isOpen = true
        } else if (!transient.includes(code)) return isOpen ? "lost" : response
      }
      return "lost"
    })

  /** Sends a request to a process; the network may lose it, or its response, or deliver it twice. */
  private request<A>(
    isRepeatable: boolean,
    use: (api: Api) => Effect.Effect<A, { readonly code: string }>
  ): Effect.Effect<{ readonly response: Response<A>; readonly isDoubled: boolean }> {
    const { self, shop } = this
    const { faults, timeline } = this.scene
    return Effect.callback((resume) => {
      const isDoubled = isRepeatable && faults.happens("doubledRequests")
      const end = (response: Response<A>): void => {
        cancel()
        resume(Effect.succeed({ response, isDoubled }))
      }
      const cancel = timeline.after(self, patience, () => end("lost"))
      const latency = () =>
        faults.happens("lostRequests") ? faults.dice.between(1_000, 12_000) : faults.dice.between(0, 5)
      for (let copy = 0; copy <= Number(isDoubled); copy++) {
        if (faults.happens("lostRequests")) continue
        shop.request(use, latency, (exit) => {
          if (!faults.happens("lostRequests")) timeline.soon(self, () => end(exit))
        })
      }
    })
  }

  private begin(petId: number, command: ObservedCall["command"], onlyFrom?: InventoryRow): ObservedCall {
    const call: ObservedCall = {
      petId,
      command,
      begin: ++this.moments,
      end: Number.POSITIVE_INFINITY,
      ...(onlyFrom === undefined ? {} : { onlyFrom })
    }
    this.calls.push(call)
    return call
  }

  private end(call: ObservedCall, result: NonNullable<ObservedCall["result"]>): void {
    call.result = result
    call.end = ++this.moments
  }
}

/** The users of the shop who place orders, besides its owner. */
const users = ["ada", "bob"]

/** The receivers of webhooks. */
const receivers = [
  { url: "https://all.example.com/", ordered: false },
  { url: "https://ordered.example.com/", ordered: true }
] as const

/** The events that they receive. */
export const deliveredTypes: ReadonlyArray<EventType> = [
  "order.placed",
  "order.completed",
  "order.cancelled",
  "pet.status_changed"
]

/** Creates a webhook, unless an attempt before has. */
const webhookOnce = (api: Api, url: string, ordered: boolean) =>
  Effect.gen(function* () {
    const { items } = yield* api.webhooks.list()
    if (items.some((one) => one.url === url)) return
    yield* api.webhooks.create({ url, ordered, types: deliveredTypes })
  })

/** Runs a command of the model, and returns the id of what it has created. */
const perform = (
  { inventory, orders, pets }: Pick<Api, "inventory" | "orders" | "pets">,
  command: Command,
  options: { readonly idempotencyKey: string | undefined; readonly ifVersion: number | undefined },
  shipDate: string | undefined
): Effect.Effect<number | undefined, { readonly code: string }> => {
  switch (command.type) {
    case "placeOrder": {
      const { type: _, ...order } = command
      return Effect.map(
        orders.place({ ...order, ...(shipDate === undefined ? {} : { shipDate }) }, options),
        ({ id }) => id
      )
    }
    case "updateOrder": {
      const { orderId, type: _, ...update } = command
      return Effect.as(orders.update(orderId, update, options), undefined)
    }
    case "cancelOrder":
      return Effect.as(orders.cancel(command.orderId, options), undefined)
    case "setStock":
      return Effect.as(inventory.set(command.petId, command.quantity, options), undefined)
    case "updatePet":
      return Effect.as(
        pets.update(command.petId, command.status === undefined ? {} : { status: command.status }, options),
        undefined
      )
    default:
      return Effect.die(new Error(`Clients do not run ${command.type}`))
  }
}

const described = (response: Response<unknown>): string =>
  response === "lost"
    ? "not known"
    : Exit.isSuccess(response)
      ? `ok ${JSON.stringify(response.value) ?? ""}`
      : String(Object(Cause.squash(response.cause)).code)
