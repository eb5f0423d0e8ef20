// Judges by the log and the database alone: what a process remembers is gone when it is killed. An order is known by the call that placed it: a
// server that lost commits gives their ids to others.

import type { Acknowledgement, Command, Entry } from "./ProofLog.ts"

/** An order that the cluster has. */
export interface StoredOrder {
  readonly id: number
  readonly petId?: number | undefined
  readonly quantity?: number | undefined
  readonly complete: boolean
  /** The number of the call that placed the order; undefined if none did. */
  readonly call: number | undefined
}

/** The stock of a pet that the cluster has. */
export interface StoredStock {
  readonly petId: number
  readonly version: number
  /** The units that calls have added, one entry for each time. */
  readonly received: ReadonlyArray<{ readonly call: number; readonly units: number }>
}

/** What was read back from the cluster. */
export interface StoredState {
  readonly orders: ReadonlyArray<StoredOrder>
  readonly stocks: ReadonlyArray<StoredStock>
  /** What breaks the invariants of `petstore verify`. */
  readonly violations: ReadonlyArray<string>
  /** The addresses of the servers that accept writes. */
  readonly primaries: ReadonlyArray<string>
}

export const findingKinds = ["lost", "doubled", "oversold", "unexpected", "invariant"] as const

/** Something that must not be. */
export interface Finding {
  readonly kind: (typeof findingKinds)[number]
  readonly message: string
}

/** A call by the log. */
interface LoggedCall {
  readonly number: number
  readonly command: Command
  /** The call that placed the order of the command: after a loss, another one may have an order with this id. */
  readonly placedBy: number | undefined
  /** Several if it was repeated after it was acknowledged. */
  readonly acknowledged: ReadonlyArray<Acknowledgement>
  /** The code with which it was rejected. */
  readonly rejected: string | undefined
}

/** The calls of a log, in their order. */
export const callsOf = (entries: ReadonlyArray<Entry>): ReadonlyArray<LoggedCall> => {
  const calls = new Map<number, LoggedCall>()
  const placedBy = new Map<number, number>()
  for (const entry of entries) {
    if (entry.type === "acknowledged" && entry.value.orderId !== undefined)
      placedBy.set(entry.value.orderId, entry.call)
    if (entry.type === "call") {
      const { call: number, command } = entry
      calls.set(number, {
        number,
        command,
        placedBy: "orderId" in command ? placedBy.get(command.orderId) : undefined,
        acknowledged: [],
        rejected: undefined
      })
    } else if (entry.type === "acknowledged" || entry.type === "rejected") {
      const call = calls.get(entry.call)
      if (call === undefined) continue
      calls.set(
        entry.call,
        entry.type === "rejected"
          ? { ...call, rejected: entry.code }
          : { ...call, acknowledged: [...call.acknowledged, entry.value] }
      )
    }
  }
  return [...calls.values()]
}

/** With what a shop rejects an order of what it no longer has. */
const soldOut: ReadonlySet<string> = new Set(["insufficient_stock", "pet_not_available"])

const grouped = <A>(items: Iterable<A>, keyOf: (item: A) => number): ReadonlyMap<number, ReadonlyArray<A>> => {
  const groups = new Map<number, Array<A>>()
  for (const item of items) {
    const group = groups.get(keyOf(item))
    if (group === undefined) groups.set(keyOf(item), [item])
    else group.push(item)
  }
  return groups
}

const sum = (numbers: Iterable<number>): number => {
  let total = 0
  for (const number of numbers) total += number
  return total
}

const isNumber = (value: number | undefined): value is number => value !== undefined

/** Judges what a cluster has by what its clients saw. */
class Judgement {
  readonly findings: Array<Finding> = []
  readonly calls: ReadonlyArray<LoggedCall>
  private readonly stored: StoredState
  private readonly byNumber: ReadonlyMap<number, LoggedCall>
  private readonly orders: ReadonlyMap<number, StoredOrder>
  private readonly ordersOfCall: ReadonlyMap<number, ReadonlyArray<StoredOrder>>
  private readonly ordersOfPet: ReadonlyMap<number, ReadonlyArray<StoredOrder>>
  private readonly received: ReadonlyMap<number, ReadonlyArray<{ readonly petId: number; readonly units: number }>>
  private readonly cancelled: ReadonlySet<string>

  constructor(entries: ReadonlyArray<Entry>, stored: StoredState) {
    this.stored = stored
    this.calls = callsOf(entries)
    this.byNumber = new Map(this.calls.map((call) => [call.number, call]))
    this.orders = new Map(stored.orders.map((order) => [order.id, order]))
    this.ordersOfCall = grouped(
      stored.orders.filter(({ call }) => call !== undefined),
      ({ call }) => call ?? 0
    )
    this.ordersOfPet = grouped(stored.orders, ({ petId }) => petId ?? 0)
    this.received = grouped(
      stored.stocks.flatMap((stock) => stock.received.map((one) => ({ ...one, petId: stock.petId }))),
      ({ call }) => call
    )
    this.cancelled = new Set(
      this.calls.flatMap(({ command, placedBy, rejected }) =>
        command.type === "cancel" && rejected === undefined ? [`${command.orderId} of ${placedBy}`] : []
      )
    )
  }

  report(kind: Finding["kind"], message: string): void {
    this.findings.push({ kind, message })
  }

  judgeCall(call: LoggedCall): void {
    const { acknowledged, command, number, placedBy, rejected } = call
    const isDone = acknowledged.length > 0
    if (command.type === "place") this.judgePlaced(call, command)
    if (command.type === "receive") this.judgeReceived(call, command)
    if (command.type === "complete" && isDone && this.orderOf(command.orderId, placedBy)?.complete !== true) {
      this.report("lost", `call ${number} completed order ${command.orderId}; that was acknowledged and is undone`)
    }
    if (command.type === "cancel" && isDone && this.orderOf(command.orderId, placedBy) !== undefined) {
      this.report("lost", `call ${number} cancelled order ${command.orderId}; that was acknowledged and is undone`)
    }
    if (rejected === undefined) return
    if (command.type !== "place" || !soldOut.has(rejected)) {
      this.report("unexpected", `call ${number} (${command.type}) was rejected with ${rejected}`)
    }
    if (this.ordersOfCall.has(number) || this.received.has(number)) {
      this.report("unexpected", `call ${number} was rejected with ${rejected}, and has taken effect`)
    }
  }

  /** Finds what belongs to no call. */
  judgeUnknown(): void {
    for (const { call, id } of this.stored.orders) {
      if (call === undefined || this.byNumber.get(call)?.command.type !== "place") {
        this.report("unexpected", `order ${id} belongs to no call`)
      }
    }
    for (const call of this.received.keys()) {
      if (this.byNumber.get(call)?.command.type !== "receive")
        this.report("unexpected", `the ledger has units of no call (${call})`)
    }
  }

  judgePet(entry: Entry & { readonly type: "pet" }): void {
    const stock = this.stored.stocks.find(({ petId }) => petId === entry.petId)
    if (stock === undefined) {
      this.report("lost", `pet ${entry.petId} was acknowledged and is gone`)
      return
    }
    const supplied = entry.units + sum(stock.received.map(({ units }) => units))
    const ordered = sum((this.ordersOfPet.get(entry.petId) ?? []).map(({ quantity }) => quantity ?? 0))
    const wishes = this.calls.filter(({ command }) => command.type === "place" && command.petId === entry.petId)
    if (sum(wishes.map(({ command }) => ("quantity" in command ? command.quantity : 0))) <= entry.units) {
      for (const { number } of wishes.filter(({ rejected }) => rejected !== undefined && soldOut.has(rejected)))
        this.report("unexpected", `call ${number} was rejected as sold out, and pet ${entry.petId} never was`)
    }
    if (ordered > supplied) {
      this.report("oversold", `pet ${entry.petId} had ${supplied} units, and ${ordered} are reserved or sold`)
    }
  }

  private judgePlaced(call: LoggedCall, command: Command & { readonly type: "place" }): void {
    const name = `call ${call.number} placed an order of ${command.quantity} of pet ${command.petId}`
    const ids = [...new Set(call.acknowledged.map(({ orderId }) => orderId).filter(isNumber))]
    const stored = (this.ordersOfCall.get(call.number) ?? []).map(({ id }) => id)
    const isLost = (id: number): boolean => {
      const order = this.orderOf(id, call.number)
      if (order === undefined) return !this.cancelled.has(`${id} of ${call.number}`)
      return order.petId !== command.petId || order.quantity !== command.quantity
    }
    const effects = new Set([...ids.filter((id) => !isLost(id)), ...stored])
    if (effects.size > 1) this.report("doubled", `${name}; its key placed the orders ${[...effects].join(" and ")}`)
    for (const id of ids.filter(isLost)) {
      const now = this.orders.has(id) ? "another one now" : "gone"
      const again =
        stored.includes(id) || stored.length === 0 ? "" : `; repeated, it placed order ${stored.join(" and ")}`
      this.report("lost", `${name}; order ${id} was acknowledged and is ${now}${again}`)
    }
  }

  private judgeReceived(call: LoggedCall, command: Command & { readonly type: "receive" }): void {
    const name = `call ${call.number} added ${command.units} to the stock of pet ${command.petId}`
    const times = this.received.get(call.number) ?? []
    if (times.length > 1) this.report("doubled", `${name}; the ledger has that ${times.length} times`)
    if (call.acknowledged.length === 0) return
    if (times.length === 0) {
      this.report("lost", `${name}; that was acknowledged and is not in the ledger`)
      return
    }
    if (times.some(({ petId, units }) => petId !== command.petId || units !== command.units)) {
      this.report("lost", `${name}; the ledger has other units or another pet`)
      return
    }
    const version = this.stored.stocks.find(({ petId }) => petId === command.petId)?.version ?? 0
    const seen = Math.max(0, ...call.acknowledged.map((value) => value.version ?? 0))
    if (version < seen)
      this.report("lost", `${name}; version ${seen} of the stock was acknowledged, and it is at ${version}`)
  }

  /** An order, if it is still that of the call that placed it. */
  private orderOf(id: number, placedBy: number | undefined): StoredOrder | undefined {
    const order = this.orders.get(id)
    return order?.call === placedBy ? order : undefined
  }
}

/** Compares what clients saw with what the cluster has. Without a finding, every acknowledged call took effect, once. */
export const judge = (entries: ReadonlyArray<Entry>, stored: StoredState): ReadonlyArray<Finding> => {
  const judgement = new Judgement(entries, stored)
  for (const call of judgement.calls) judgement.judgeCall(call)
  judgement.judgeUnknown()
  for (const entry of entries) if (entry.type === "pet") judgement.judgePet(entry)
  if (stored.primaries.length > 1) {
    judgement.report(
      "unexpected",
      `${stored.primaries.join(" and ")} accept writes, and each lacks what the others commit`
    )
  }
  for (const violation of stored.violations) judgement.report("invariant", violation)
  return judgement.findings
}
