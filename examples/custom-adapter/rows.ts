import * as Toolkit from "@petstore/core/adapter-toolkit"
import { InternalError } from "@petstore/core/domain"
import * as Ports from "@petstore/core/ports"
import { Exit } from "effect"
import type { Keys, LmdbTable } from "./LmdbTable.ts"
import { ownedBy, type Tables } from "./tables.ts"

/** The keys of index entries without their leading text, up to the first text for which `goesOn` is false. */
function* along(index: Iterable<Keys>, goesOn: (text: string) => boolean): Generator<Keys> {
  for (const [text, ...key] of index) {
    if (!goesOn(String(text))) return
    yield key
  }
}

/** The keys of index entries without their leading part. */
const rest = (index: Iterable<Keys>) => along(index, () => true)

const keysOf = (ids: ReadonlyArray<number>): ReadonlyArray<Keys> => [...new Set(ids)].map((id) => [id])

const everything = Number.POSITIVE_INFINITY

const isLeased =
  (at: string) =>
  ({ lease }: Ports.DeliveryRecord): boolean =>
    lease.until !== undefined && lease.until > at

/** The keys of the pets in a list, in its order: of `ids`, or of a range in the index group of the filters. */
const candidates = (pets: Tables["pets"], query: Ports.PetQuery): Iterable<Keys> => {
  const { after, afterName, categoryId = "any", ids, name, status = "any" } = query
  if (ids !== undefined) {
    const chosen = pets.take(keysOf(ids), ids.length).filter(Toolkit.isAfterCursor(query))
    return chosen.sort(Toolkit.comparePets(query)).map(({ id }) => [id])
  }
  if (name === undefined) return pets.keys(["live", status, categoryId], [after])
  const place = afterName === undefined ? [name] : [afterName, after]
  return along(pets.keys(["named", status, categoryId], place), (text) => text.startsWith(name))
}

/** The consumer that needs the oldest event. */
const lowest = ({ consumers, parkedEvents }: Tables): Ports.LowestPosition | undefined => {
  const all = consumers.page(["row"], [], Number.POSITIVE_INFINITY)
  const needed = all.map(({ name, position }) => {
    const [parked] = parkedEvents.take(parkedEvents.keys(["row"], [], [name]), 1)
    return { consumer: name, position: Math.min(position, (parked?.seq ?? Number.POSITIVE_INFINITY) - 1) }
  })
  return needed.sort((a, b) => a.position - b.position || (a.consumer < b.consumer ? -1 : 1))[0]
}

/** The operations of a store, as calls of its tables, which the connection runs in the right transaction. */
export const rows = (store: Toolkit.SynchronousConnection, tables: Tables): Ports.Rows => {
  const { accounts, apiKeys, categories, checkpoints, consumers, deliveries, events, idempotency } = tables
  const { imports, messages, movements, orders, parkedEvents, pets, webhooks } = tables

  /** What tables with ids have in common. There is one writer at a time, so to read a row in a transaction locks it. */
  const byId = <Row>(table: LmdbTable<Row>) => ({
    find: (id: number) => store.read(() => table.find(id)),
    lock: (id: number) => store.lock(() => table.find(id)),
    list: (after: number, limit: number) => store.read(() => table.page(["live"], [after], limit)),
    scan: (after: number, limit: number) => store.read(() => table.page(["row"], [after], limit)),
    save: (row: Row) => store.write(() => table.put(row))
  })

  /** Writes unless another row has the name. */
  const unlessTaken = <Row, A>(table: LmdbTable<Row>, nameKey: string, write: () => A, id?: number) =>
    store.attempt(() => {
      const [holder = [id]] = table.keys(["name", nameKey])
      return holder[0] === id ? Exit.succeed(write()) : Exit.fail(new Ports.Duplicate({ value: nameKey }))
    })

  /** Messages in the order of their times: those after a time, up to another one. */
  const timed = (work: string, limit: number, { after, to }: { readonly after?: string; readonly to?: string }) =>
    messages.take(
      along(
        messages.keys(["time", work], after === undefined ? [] : [after, "~"]),
        (time) => to === undefined || time <= to
      ),
      limit
    )
  const addEvent = ({ id, type, timestamp, [Ports.traceparent]: trace, ...rest }: Ports.EventToAppend) =>
    events.put({
      event: { id, type, timestamp, seq: events.last() + 1, ...rest } as Ports.EventRecord,
      ...(trace && { trace })
    })
  const traced = ({ event, trace }: { event: Ports.EventRecord; trace?: string }): Ports.EventRecord =>
    trace === undefined ? event : { ...event, [Ports.traceparent]: trace }
  const addDelivery = (delivery: Ports.NewDelivery) => {
    const [known] = deliveries.keys(["event", delivery.webhookId, delivery.seq])
    if (known !== undefined) throw new Error(`There is already a delivery of the event ${delivery.seq}`)
    deliveries.add((id) => ({ delivery: { ...delivery, id, status: "pending", attempts: 0 }, lease: { fence: 0 } }))
  }

  return {
    pets: {
      ...byId(pets),
      list: (query) =>
        store.read(() => pets.take(candidates(pets, query), query.limit, Toolkit.matchesPetQuery(query))),
      insert: (pet) => store.write(() => pets.add((id) => ({ ...pet, id }))),
      insertAll: (added) => store.write(() => added.map((pet) => pets.add((id) => ({ ...pet, id })))),
      saveStock: ({ id, lastMovement, stock, stockVersion }) =>
        store.write(() => pets.change(id, (pet) => ({ ...pet, lastMovement, stock, stockVersion })))
    },
    categories: {
      ...byId(categories),
      findByName: (nameKey) => store.read(() => categories.page(["name", nameKey])[0]),
      lockShared: (id) => store.lock(() => categories.find(id)),
      insert: ({ category, ...rest }) => {
        const add = () => categories.add((id) => ({ ...rest, category: { id, ...category }, deleted: false }))
        return unlessTaken(categories, rest.nameKey, add)
      },
      save: (record) => unlessTaken(categories, record.nameKey, () => categories.put(record), record.category.id)
    },
    orders: {
      ...byId(orders),
      list: ({ after, complete = "any", limit, owner, petId = "any" }) =>
        store.read(() => orders.page(["live", ...ownedBy(owner), petId, complete], [after], limit)),
      insert: (order) => store.write(() => orders.add((id) => ({ ...order, id }))),
      owners: (ids) =>
        store.read(() =>
          orders.take(keysOf(ids), ids.length).flatMap(({ id, owner }) => (owner === undefined ? [] : { id, owner }))
        )
    },
    movements: {
      append: (movement) => store.write(() => movements.put(movement)),
      appendAll: (added) => store.write(() => added.forEach(movements.put)),
      list: (petId, after, limit) => store.read(() => movements.take(movements.keys(["row"], [after], [petId]), limit)),
      scan: ({ petId, seq }, limit) => store.read(() => movements.page(["row"], [petId, seq], limit))
    },
    events: {
      append: (event) => store.write(() => addEvent(event)),
      appendAll: (added) => store.write(() => added.forEach(addEvent)),
      latest: store.read(() => events.last()),
      scan: (after, limit) => store.read(() => events.page(["row"], [after], limit).map(traced)),
      find: (seqs) =>
        store.read(() =>
          [...new Set(seqs)]
            .sort((a, b) => a - b)
            .flatMap((seq) => events.get(seq) ?? [])
            .map(traced)
        ),
      trim: (through) =>
        store.attempt(() => {
          const last = Math.min(through, events.last() - 1)
          if (last > (checkpoints.get("log")?.seq ?? 0)) return Exit.fail(new InternalError({}))
          const [first] = events.page(["row"])
          return Exit.succeed(events.remove(events.page(["row"], [], last - (first?.event.seq ?? last + 1) + 1)))
        })
    },
    checkpoints: {
      find: (subjects) => store.read(() => subjects.flatMap((subject) => checkpoints.get(subject) ?? [])),
      lock: (subject) => store.lock(() => checkpoints.get(subject)),
      save: (records) => store.write(() => records.forEach(checkpoints.put)),
      remove: (subjects) =>
        store.write(() => checkpoints.remove(subjects.flatMap((subject) => checkpoints.get(subject) ?? []))),
      scan: (after, limit) => store.read(() => checkpoints.page(["row"], [after], limit))
    },
    messages: {
      find: (id) => store.read(() => messages.get(id)),
      lock: (id) => store.lock(() => messages.get(id)),
      list: ({ status, after, limit }) =>
        store.read(() => messages.page(status === undefined ? ["row"] : ["status", status], [after], limit)),
      count: (status, most) => store.read(() => messages.page(["status", status], [], most).length),
      insert: (message) => store.write(() => messages.put(message)),
      save: (message) => store.write(() => messages.put(message)),
      remove: (id) => store.write(() => messages.remove(messages.take([[id]], 1))),
      nextDue: store.read(() => {
        const times = ["queued", "leased"].flatMap((work) => [...messages.keys(["time", work])].slice(0, 1))
        return times.map(([time]) => String(time)).sort()[0]
      }),
      lockClaimable: ({ limit, longestDelay, longestLease, now }) =>
        store.lock(() =>
          [
            ...timed("leased", limit, { to: now }),
            ...timed("leased", limit, { after: longestLease }),
            ...timed("queued", limit, { to: now }),
            ...timed("queued", limit, { after: longestDelay })
          ].slice(0, limit)
        ),
      lockDelivered: (before, limit) =>
        store.lock(() =>
          messages.take(
            along(messages.keys(["time", "delivered"]), (time) => time < before),
            limit
          )
        )
    },
    accounts: {
      find: (id) => store.read(() => accounts.get(id)?.account),
      findByName: (nameKey) => store.read(() => accounts.page(["name", nameKey])[0]?.account),
      list: (after, limit) => store.read(() => accounts.page(["row"], [after], limit).map(({ account }) => account)),
      insert: ({ nameKey, ...account }) =>
        unlessTaken(accounts, nameKey, () => accounts.add((id) => ({ account: { id, ...account }, nameKey })))
    },
    apiKeys: {
      ...byId(apiKeys),
      otherAdminExists: (id, at) => {
        const other = ({ key }: Ports.ApiKeyRecord) => key.id !== id && (key.expiresAt ?? "~") > at
        return store.lock(() => apiKeys.take(apiKeys.keys(["admin"]), 1, other).length > 0)
      },
      insert: (record) => store.write(() => apiKeys.add((id) => ({ ...record, key: { id, ...record.key } }))),
      touch: (id, lastUsedAt) =>
        store.write(() => apiKeys.change(id, ({ key, ...rest }) => ({ ...rest, key: { ...key, lastUsedAt } })))
    },
    idempotency: {
      lock: (accountId, key) => store.lock(() => idempotency.get(accountId, key)),
      save: (record) => store.write(() => idempotency.put(record)),
      purge: (before, limit) => {
        const old = () => along(idempotency.keys(["createdAt"]), (createdAt) => createdAt < before)
        return store.write(() => idempotency.remove(idempotency.take(old(), limit)))
      },
      scan: ({ accountId, key }, limit) => store.read(() => idempotency.page(["row"], [accountId, key], limit))
    },
    imports: {
      lock: (file) => store.lock(() => imports.get(file, imports.last(file))),
      append: (batch) => store.write(() => imports.put(batch)),
      scan: ({ file, seq }, limit) => store.read(() => imports.page(["row"], [file, seq], limit))
    },
    consumers: {
      find: (name) => store.read(() => consumers.get(name)),
      lock: (name) => store.lock(() => consumers.get(name)),
      list: (after, limit) => store.read(() => consumers.page(["row"], [after], limit)),
      lowest: store.read(() => lowest(tables)),
      insert: (row) =>
        store.attempt(() =>
          consumers.get(row.name) === undefined
            ? Exit.succeed(consumers.put(row))
            : Exit.fail(new Ports.Duplicate({ value: row.name }))
        ),
      save: (row) => store.write(() => consumers.put(row)),
      remove: (name) => store.write(() => consumers.remove(consumers.take([[name]], 1)))
    },
    parkedEvents: {
      find: ({ consumer, seq }) => store.read(() => parkedEvents.get(consumer, seq)),
      list: (consumer, after, limit) =>
        store.read(() => parkedEvents.take(parkedEvents.keys(["row"], [after], [consumer]), limit)),
      listReplays: (consumer, after, limit) =>
        store.read(() => parkedEvents.take(parkedEvents.keys(["replay"], [after], [consumer]), limit)),
      scan: ({ consumer, seq }, limit) => store.read(() => parkedEvents.page(["row"], [consumer, seq], limit)),
      save: (row) => store.write(() => parkedEvents.put(row)),
      remove: ({ consumer, seq }) => store.write(() => parkedEvents.remove(parkedEvents.take([[consumer, seq]], 1)))
    },
    webhooks: {
      ...byId(webhooks),
      insert: ({ webhook, ...rest }) =>
        store.write(() => webhooks.add((id) => ({ ...rest, webhook: { id, ...webhook }, deleted: false })))
    },
    deliveries: {
      find: (id) => store.read(() => deliveries.get(id)),
      list: ({ after, limit, status = "any", webhookId }) =>
        store.read(() => deliveries.page(["live", webhookId, status], [after], limit)),
      ofEvents: (webhookId, after, limit) =>
        store.read(() => deliveries.take(rest(deliveries.keys(["event", webhookId], [after + 1])), limit)),
      scan: (after, limit) => store.read(() => deliveries.page(["row"], [after], limit)),
      due: (webhookId, at, limit) =>
        store.read(() =>
          deliveries.take(
            along(deliveries.keys(["due", webhookId]), (due) => due <= at),
            limit
          )
        ),
      nextDue: (webhookId) =>
        store.read(() => deliveries.take(rest(deliveries.keys(["due", webhookId])), 1)[0]?.delivery.nextAttemptAt),
      leased: (webhookId, at) =>
        store.read(() => deliveries.page(["leased", webhookId], [], everything).filter(isLeased(at)).length),
      pending: (webhookId, subject, limit) =>
        store.read(() => deliveries.page(["subject", webhookId, subject], [], limit)),
      backlogs: (limit, most) =>
        store.read(() =>
          webhooks.page(["live"], [0], limit).map(({ webhook: { enabled, id } }) => {
            const count = (status: "pending" | "failed") => deliveries.page(["live", id, status], [], most).length
            const oldest = deliveries.page(["live", id, "pending"], [], 1)[0]?.delivery.createdAt
            const counts = { pending: count("pending"), failed: count("failed") }
            return { webhookId: id, enabled, ...counts, ...(oldest === undefined ? {} : { oldest }) }
          })
        ),
      insertAll: (added) => store.write(() => added.forEach(addDelivery)),
      save: (record) => store.write(() => deliveries.put(record)),
      remove: ({ id }) => store.write(() => deliveries.remove(deliveries.take([[id]], 1)))
    }
  }
}
