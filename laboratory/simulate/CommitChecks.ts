import type { Saved } from "@petstore/core/kernel"
import type { EventToAppend } from "@petstore/core/ports"
import type { DeliveryRecord, OrderRecord, PetRecord } from "@petstore/core/tables"
import type { Commit } from "./SimulatedDatabase.ts"
import type { Process } from "./Timeline.ts"

interface Lease {
  readonly fence: number
  readonly until?: string
}

/** A lease as it was written last, and who has claimed it. */
interface Claim extends Lease {
  readonly process: Process
}

/** Milliseconds that a claim of a row lasts. */
const leases: Readonly<Record<string, number>> = { consumers: 10_000, deliveries: 60_000, messages: 30_000 }

/** Tables whose rows change with events, and the collections that these are about. */
const collectionsOf: Readonly<Record<string, ReadonlyArray<string>>> = {
  pets: ["pets", "inventory"],
  orders: ["orders"],
  categories: ["categories"]
}

/** Commands by which a worker changes what it has claimed. */
const byHolder = /^(?:consumers\.(?:extend|record|handle)|deliveries\.(?:extend|record)|messages\.(?:extend|finish))$/

/** The lease of a row, if it has one. */
const leaseOf = (row: unknown): Lease | undefined => Object(row).lease

/** Checks what must hold after every commit, by what it has written. */
export class CommitChecks {
  /** The events that were committed, in this order. */
  readonly events: Array<EventToAppend> = []
  /** How often a commit had each event, by its id. */
  readonly eventIds = new Map<string, number>()
  private readonly pets = new Map<number, PetRecord>()
  private readonly orders = new Map<number, OrderRecord>()
  private readonly claims = new Map<string, Claim>()
  private readonly statuses = new Map<string, string>()

  /** Whose order an event is about; undefined if it is about none, or one of the owner of the store. */
  ownerOf(subject: string): string | undefined {
    const [collection, id] = subject.split("/")
    return collection === "orders" ? this.orders.get(Number(id))?.owner : undefined
  }

  /** The problems that a commit shows. */
  check({ command, process, writes }: Commit): ReadonlyArray<string> {
    const events = writes.flatMap((write) =>
      "log" in write && write.log === "events" ? (write.rows as ReadonlyArray<EventToAppend>) : []
    )
    const rows = writes.flatMap((write) => ("table" in write ? [write] : []))
    for (const event of events) {
      this.events.push(event)
      this.eventIds.set(event.id, this.events.length)
    }
    for (const { key, row, table } of rows) {
      if (table === "pets") this.pets.set(Number(key), row as PetRecord)
      if (table === "orders") this.orders.set(Number(key), row as OrderRecord)
    }
    const problems = [
      ...eventProblems(rows, events),
      ...this.stockProblems(rows),
      ...rows.flatMap((row) => [...this.leaseProblems(process, command, row), ...this.endProblems(row)])
    ]
    return problems.map((problem) => `${command ?? "A transaction"} of ${process.name} ${problem}`)
  }

  /** The reserved units of a pet are those of its open orders. */
  private stockProblems(rows: ReadonlyArray<Saved>): ReadonlyArray<string> {
    const ids = rows.flatMap(({ key, row, table }) =>
      table === "pets" ? [Number(key)] : table === "orders" ? [(row as OrderRecord).order.petId ?? 0] : []
    )
    return [...new Set(ids)].flatMap((id) => {
      const stock = this.pets.get(id)?.stock
      if (stock === undefined) return []
      let units = 0
      for (const { order } of this.orders.values()) {
        if (order.petId === id && order.state === "open") units += order.quantity ?? 0
      }
      const isSound = stock.reserved === units && units <= stock.onHand
      return isSound
        ? []
        : [`leaves pet ${id} with the stock ${JSON.stringify(stock)} and ${units} units in open orders`]
    })
  }

  /** A row is claimed when nobody holds it, and nobody but the last one who has claimed it changes it as its holder. */
  private leaseProblems(
    process: Process,
    command: string | undefined,
    { key, row, table }: Saved
  ): ReadonlyArray<string> {
    const lease = leaseOf(row)
    if (lease === undefined) return []
    const name = `${table} ${key}`
    const known = this.claims.get(name)
    const isClaim = lease.fence > (known?.fence ?? 0)
    this.claims.set(name, { ...lease, process: isClaim ? process : (known?.process ?? process) })
    if (known === undefined) return []
    if (lease.fence < known.fence) return [`sets the fence of ${name} back from ${known.fence} to ${lease.fence}`]
    if (known.process === process) return []
    if (isClaim) {
      const claimedAt = Date.parse(lease.until ?? "") - (leases[table] ?? 0)
      const isHeld = known.process.isAlive && Date.parse(known.until ?? "") > claimedAt
      return isHeld ? [`claims ${name}, which ${known.process.name} holds until ${known.until}`] : []
    }
    const isForeign = command !== undefined && byHolder.test(command)
    return isForeign ? [`changes ${name}, which ${known.process.name} has claimed since`] : []
  }

  /** What was delivered stays so, unless a call asks for it again. */
  private endProblems({ key, row, table }: Saved): ReadonlyArray<string> {
    const status =
      table === "deliveries"
        ? (row as DeliveryRecord).delivery.status
        : table === "messages"
          ? (row as { readonly status: string }).status
          : undefined
    if (status === undefined) return []
    const name = `${table} ${key}`
    const before = this.statuses.get(name)
    this.statuses.set(name, status)
    return before === "delivered" && status !== "delivered"
      ? [`makes ${name} ${status} again after it was delivered`]
      : []
  }
}

/** A change has its events, and an event its change, in one transaction. */
const eventProblems = (rows: ReadonlyArray<Saved>, events: ReadonlyArray<EventToAppend>): ReadonlyArray<string> => [
  ...rows.flatMap(({ key, table }) => {
    const subjects = collectionsOf[table]?.map((collection) => `${collection}/${key}`)
    const isSilent = subjects !== undefined && !events.some(({ subject }) => subjects.includes(subject))
    return isSilent ? [`changes ${table} ${key} without an event`] : []
  }),
  ...events.flatMap(({ subject, type }) => {
    const [collection = "", id] = subject.split("/")
    const table = Object.keys(collectionsOf).find((name) => collectionsOf[name]?.includes(collection))
    const isAlone = table !== undefined && !rows.some((row) => row.table === table && String(row.key) === id)
    return isAlone ? [`records ${type} of ${subject}, which it does not change`] : []
  })
]
