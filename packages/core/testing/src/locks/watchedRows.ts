import type { MessageRecord, Movement } from "@petstore/core/domain"
import type { ApiKeyRecord, OrderRecord, PetRecord, Rows } from "@petstore/core/ports"
import type * as Effect from "effect/Effect"
import type { CommandLocks } from "./CommandLocks.ts"
import type { Lockable } from "./lockPlan.ts"

/** Runs a statement of a store: `before` checks it, and `after` notes what it returned. */
export type Watch = <A, E, R>(
  statement: Effect.Effect<A, E, R>,
  before: (locks: CommandLocks) => void,
  after?: (locks: CommandLocks, value: A) => void
) => Effect.Effect<A, E, R>

/** Notes a lock, if the row is there. */
const held =
  <Row>(kind: Lockable, id: number | string, reference: (row: Row) => number | undefined = () => undefined) =>
  (locks: CommandLocks, row: Row | undefined): void => {
    if (row !== undefined) locks.hold(kind, id, "exclusive", reference(row))
  }

const heldMessages = (locks: CommandLocks, found: ReadonlyArray<MessageRecord>): void => {
  for (const { id } of found) locks.hold("messages", id, "exclusive")
}

/** Notes a new row, which nobody else can see, let alone change. */
const inserted =
  (kind: Lockable) =>
  (locks: CommandLocks, id: number): void =>
    locks.hold(kind, id, "exclusive")

/** A pet enters a category only under a lock on it. */
const savePet = (locks: CommandLocks, { categoryId, id }: PetRecord): void => {
  if (locks.save("pets", id) !== categoryId) locks.refer("categories", categoryId)
}

const saveKey = (locks: CommandLocks, { key: { accountId, id } }: ApiKeyRecord): void => {
  if (locks.save("apiKeys", id) !== accountId) locks.referToRead(`accounts ${accountId}`)
}

const referToPet = (locks: CommandLocks, { order: { petId } }: Omit<OrderRecord, "id">): void => {
  if (petId !== undefined) locks.refer("pets", petId)
}

/** The ledger of a pet belongs to the row of the pet: its lock gives the next number. */
const appendMovement = (locks: CommandLocks, { orderId, petId }: Movement): void => {
  locks.save("pets", petId)
  if (orderId !== undefined) locks.refer("orders", orderId)
}

const otherAdminKeys = "otherAdminKeys"

/** The rows of a store with every statement checked. It lists each one, so that a new one of the port is not forgotten. */
export const watchedRows = (rows: Rows, watch: Watch): Rows => {
  const {
    accounts,
    apiKeys,
    categories,
    checkpoints,
    events,
    idempotency,
    imports,
    messages,
    movements,
    orders,
    pets
  } = rows
  const { consumers, parkedEvents } = rows
  const { findShown, listShown } = pets
  const { deliveries, webhooks } = rows
  return {
    pets: {
      find: (id) => watch(pets.find(id), (locks) => locks.read("pets.find", `pets ${id}`)),
      ...(findShown === undefined
        ? {}
        : { findShown: (id) => watch(findShown(id), (locks) => locks.read("pets.findShown", `pets ${id}`)) }),
      lock: (id) =>
        watch(
          pets.lock(id),
          (locks) => locks.lock("pets", id),
          held("pets", id, (pet) => pet.categoryId)
        ),
      list: (query) =>
        watch(pets.list(query), (locks) => {
          locks.read("pets.list")
          if (query.categoryId !== undefined) locks.guardedBy("categories", query.categoryId)
        }),
      ...(listShown === undefined
        ? {}
        : { listShown: (query) => watch(listShown(query), (locks) => locks.read("pets.listShown")) }),
      insert: (pet) =>
        watch(
          pets.insert(pet),
          (locks) => {
            locks.ofCommand("pets.insert")
            locks.refer("categories", pet.categoryId)
          },
          inserted("pets")
        ),
      insertAll: (added) =>
        watch(
          pets.insertAll(added),
          (locks) => {
            locks.ofCommand("pets.insertAll")
            for (const { categoryId } of added) locks.refer("categories", categoryId)
          },
          (locks, ids) => {
            for (const id of ids) locks.hold("pets", id, "exclusive")
          }
        ),
      save: (pet) => watch(pets.save(pet), (locks) => savePet(locks, pet)),
      saveStock: (pet) => watch(pets.saveStock(pet), (locks) => savePet(locks, pet)),
      scan: (after, limit) => watch(pets.scan(after, limit), (locks) => locks.read("pets.scan"))
    },
    categories: {
      find: (id) => watch(categories.find(id), (locks) => locks.read("categories.find", `categories ${id}`)),
      findByName: (nameKey) =>
        watch(categories.findByName(nameKey), (locks) =>
          locks.read("categories.findByName", `categories named ${nameKey}`)
        ),
      lock: (id) => watch(categories.lock(id), (locks) => locks.lock("categories", id), held("categories", id)),
      lockShared: (id) =>
        watch(
          categories.lockShared(id),
          (locks) => locks.lock("categories", id),
          (locks, category) => {
            if (category !== undefined) locks.hold("categories", id, "shared")
          }
        ),
      list: (after, limit) => watch(categories.list(after, limit), (locks) => locks.read("categories.list")),
      insert: (category) =>
        watch(categories.insert(category), (locks) => locks.ofCommand("categories.insert"), inserted("categories")),
      save: (record) => watch(categories.save(record), (locks) => void locks.save("categories", record.category.id)),
      scan: (after, limit) => watch(categories.scan(after, limit), (locks) => locks.read("categories.scan"))
    },
    orders: {
      find: (id) => watch(orders.find(id), (locks) => locks.read("orders.find", `orders ${id}`)),
      lock: (id) => watch(orders.lock(id), (locks) => locks.lock("orders", id), held("orders", id)),
      list: (query) => watch(orders.list(query), (locks) => locks.read("orders.list")),
      owners: (ids) => watch(orders.owners(ids), (locks) => locks.read("orders.owners")),
      insert: (order) =>
        watch(
          orders.insert(order),
          (locks) => {
            locks.ofCommand("orders.insert")
            referToPet(locks, order)
          },
          inserted("orders")
        ),
      save: (order) =>
        watch(orders.save(order), (locks) => {
          locks.save("orders", order.id)
          referToPet(locks, order)
        }),
      scan: (after, limit) => watch(orders.scan(after, limit), (locks) => locks.read("orders.scan"))
    },
    movements: {
      append: (movement) => watch(movements.append(movement), (locks) => appendMovement(locks, movement)),
      appendAll: (added) =>
        watch(movements.appendAll(added), (locks) => {
          for (const movement of added) appendMovement(locks, movement)
        }),
      list: (petId, after, limit) =>
        watch(movements.list(petId, after, limit), (locks) => locks.read("movements.list")),
      scan: (after, limit) => watch(movements.scan(after, limit), (locks) => locks.read("movements.scan"))
    },
    events: {
      append: (event) => watch(events.append(event), (locks) => locks.takeTurn("events", 0, "events.append")),
      appendAll: (added) => watch(events.appendAll(added), (locks) => locks.takeTurn("events", 0, "events.appendAll")),
      latest: watch(events.latest, (locks) => locks.read("events.latest")),
      scan: (after, limit) => watch(events.scan(after, limit), (locks) => locks.read("events.scan")),
      find: (seqs) => watch(events.find(seqs), (locks) => locks.read("events.find")),
      // No command removes events: the engine does in the background, in transactions of its own.
      trim: (through) => watch(events.trim(through), (locks) => locks.statement("events.trim"))
    },
    checkpoints: {
      find: (subjects) => watch(checkpoints.find(subjects), (locks) => locks.read("checkpoints.find")),
      lock: (subject) => watch(checkpoints.lock(subject), (locks) => locks.statement("checkpoints.lock")),
      save: (records) => watch(checkpoints.save(records), (locks) => locks.statement("checkpoints.save")),
      remove: (subjects) => watch(checkpoints.remove(subjects), (locks) => locks.statement("checkpoints.remove")),
      scan: (after, limit) => watch(checkpoints.scan(after, limit), (locks) => locks.read("checkpoints.scan"))
    },
    messages: {
      find: (id) => watch(messages.find(id), (locks) => locks.read("messages.find", `messages ${id}`)),
      lock: (id) => watch(messages.lock(id), (locks) => locks.lock("messages", id), held("messages", id)),
      list: (query) => watch(messages.list(query), (locks) => locks.read("messages.list")),
      count: (status, most) => watch(messages.count(status, most), (locks) => locks.read("messages.count")),
      insert: (message) => watch(messages.insert(message), (locks) => locks.ofCommand("messages.insert")),
      save: (message) => watch(messages.save(message), (locks) => void locks.save("messages", message.id)),
      remove: (id) => watch(messages.remove(id), (locks) => void locks.save("messages", id)),
      nextDue: watch(messages.nextDue, (locks) => locks.read("messages.nextDue")),
      // A store skips the rows that others hold, so these wait for nobody.
      lockClaimable: (query) =>
        watch(messages.lockClaimable(query), (locks) => locks.ofCommand("messages.lockClaimable"), heldMessages),
      lockDelivered: (before, limit) =>
        watch(messages.lockDelivered(before, limit), (locks) => locks.ofCommand("messages.lockDelivered"), heldMessages)
    },
    accounts: {
      find: (id) => watch(accounts.find(id), (locks) => locks.read("accounts.find", `accounts ${id}`)),
      findByName: (nameKey) =>
        watch(accounts.findByName(nameKey), (locks) => locks.read("accounts.findByName", `accounts named ${nameKey}`)),
      list: (after, limit) => watch(accounts.list(after, limit), (locks) => locks.read("accounts.list")),
      insert: (account) => watch(accounts.insert(account), (locks) => locks.ofCommand("accounts.insert"))
    },
    apiKeys: {
      find: (id) => watch(apiKeys.find(id), (locks) => locks.read("apiKeys.find", `apiKeys ${id}`)),
      lock: (id) =>
        watch(
          apiKeys.lock(id),
          (locks) => locks.lock("apiKeys", id),
          held("apiKeys", id, ({ key }) => key.accountId)
        ),
      list: (after, limit) => watch(apiKeys.list(after, limit), (locks) => locks.read("apiKeys.list")),
      scan: (after, limit) => watch(apiKeys.scan(after, limit), (locks) => locks.read("apiKeys.scan")),
      otherAdminExists: (id, now) =>
        watch(apiKeys.otherAdminExists(id, now), (locks) => locks.lock(otherAdminKeys, id)),
      insert: (record) =>
        watch(
          apiKeys.insert(record),
          (locks) => {
            locks.ofCommand("apiKeys.insert")
            locks.referToRead(`accounts ${record.key.accountId}`)
          },
          inserted("apiKeys")
        ),
      save: (record) => watch(apiKeys.save(record), (locks) => saveKey(locks, record)),
      // It sets one column to a later time, whatever the row is: there is no decision that a lock would protect.
      touch: (id, at) => watch(apiKeys.touch(id, at), (locks) => locks.takeTurn("apiKeys", id))
    },
    idempotency: {
      lock: (accountId, key) =>
        watch(
          idempotency.lock(accountId, key),
          (locks) => locks.lock("idempotency", `${accountId} ${key}`),
          // A key can be locked, and then written, even if it has no record yet.
          (locks) => locks.hold("idempotency", `${accountId} ${key}`, "exclusive")
        ),
      save: (record) =>
        watch(idempotency.save(record), (locks) => void locks.save("idempotency", `${record.accountId} ${record.key}`)),
      // No command rests on an expired record, and a store skips those that others hold, so it waits for nobody.
      purge: (createdAt, limit) =>
        watch(idempotency.purge(createdAt, limit), (locks) => locks.ofCommand("idempotency.purge")),
      scan: (after, limit) => watch(idempotency.scan(after, limit), (locks) => locks.read("idempotency.scan"))
    },
    // No command of a petstore uses them: the command-line import does, as the last thing in its transactions.
    imports: {
      lock: (file) => watch(imports.lock(file), (locks) => locks.statement("imports.lock")),
      append: (batch) => watch(imports.append(batch), (locks) => locks.statement("imports.append")),
      scan: (after, limit) => watch(imports.scan(after, limit), (locks) => locks.read("imports.scan"))
    },
    consumers: {
      find: (name) => watch(consumers.find(name), (locks) => locks.read("consumers.find", `consumers ${name}`)),
      lock: (name) => watch(consumers.lock(name), (locks) => locks.lock("consumers", name), held("consumers", name)),
      list: (after, limit) => watch(consumers.list(after, limit), (locks) => locks.read("consumers.list")),
      lowest: watch(consumers.lowest, (locks) => locks.read("consumers.lowest")),
      insert: (record) => watch(consumers.insert(record), (locks) => locks.ofCommand("consumers.insert")),
      save: (record) => watch(consumers.save(record), (locks) => void locks.save("consumers", record.name)),
      remove: (name) => watch(consumers.remove(name), (locks) => locks.remove("consumers", name))
    },
    // They belong to their consumer: a lock on it locks them.
    parkedEvents: {
      find: (key) =>
        watch(parkedEvents.find(key), (locks) => {
          locks.read("parkedEvents.find", `parkedEvents ${key.consumer} ${key.seq}`)
          locks.guardedBy("consumers", key.consumer)
        }),
      list: (consumer, after, limit) =>
        watch(parkedEvents.list(consumer, after, limit), (locks) => {
          locks.read("parkedEvents.list")
          locks.guardedBy("consumers", consumer)
        }),
      listReplays: (consumer, after, limit) =>
        watch(parkedEvents.listReplays(consumer, after, limit), (locks) => locks.read("parkedEvents.listReplays")),
      scan: (after, limit) => watch(parkedEvents.scan(after, limit), (locks) => locks.read("parkedEvents.scan")),
      save: (event) => watch(parkedEvents.save(event), (locks) => void locks.save("consumers", event.consumer)),
      remove: (key) => watch(parkedEvents.remove(key), (locks) => void locks.save("consumers", key.consumer))
    },
    webhooks: {
      find: (id) => watch(webhooks.find(id), (locks) => locks.read("webhooks.find", `webhooks ${id}`)),
      lock: (id) => watch(webhooks.lock(id), (locks) => locks.lock("webhooks", id), held("webhooks", id)),
      list: (after, limit) =>
        watch(webhooks.list(after, limit), (locks) => locks.read("webhooks.list", `webhooks after ${after}`)),
      scan: (after, limit) => watch(webhooks.scan(after, limit), (locks) => locks.read("webhooks.scan")),
      insert: (record) =>
        watch(webhooks.insert(record), (locks) => locks.ofCommand("webhooks.insert"), inserted("webhooks")),
      save: (record) => watch(webhooks.save(record), (locks) => void locks.save("webhooks", record.webhook.id))
    },
    // The deliveries of an endpoint belong to its row: its lock keeps them as they are.
    deliveries: {
      find: (id) => watch(deliveries.find(id), (locks) => locks.read("deliveries.find", `deliveries ${id}`)),
      list: (query) => watch(deliveries.list(query), (locks) => locks.read("deliveries.list")),
      ofEvents: (webhookId, after, limit) =>
        watch(deliveries.ofEvents(webhookId, after, limit), (locks) => {
          locks.read("deliveries.ofEvents")
          locks.guardedBy("webhooks", webhookId)
        }),
      scan: (after, limit) => watch(deliveries.scan(after, limit), (locks) => locks.read("deliveries.scan")),
      due: (webhookId, now, limit) =>
        watch(deliveries.due(webhookId, now, limit), (locks) => {
          locks.read("deliveries.due")
          locks.guardedBy("webhooks", webhookId)
        }),
      nextDue: (webhookId) => watch(deliveries.nextDue(webhookId), (locks) => locks.read("deliveries.nextDue")),
      leased: (webhookId, now) =>
        watch(deliveries.leased(webhookId, now), (locks) => {
          locks.read("deliveries.leased", `deliveries of webhook ${webhookId} leased after ${now}`)
          locks.guardedBy("webhooks", webhookId)
        }),
      pending: (webhookId, subject, limit) =>
        watch(deliveries.pending(webhookId, subject, limit), (locks) => {
          locks.read("deliveries.pending", `the pending deliveries of ${subject} to webhook ${webhookId}`)
          const [, message = ""] = /^messages\/(.+)$/.exec(subject) ?? []
          if (!locks.holds("messages", message)) locks.guardedBy("webhooks", webhookId)
        }),
      backlogs: (limit, most) => watch(deliveries.backlogs(limit, most), (locks) => locks.read("deliveries.backlogs")),
      insertAll: (added) => watch(deliveries.insertAll(added), (locks) => locks.ofCommand("deliveries.insertAll")),
      save: (record) =>
        watch(deliveries.save(record), (locks) => void locks.save("webhooks", record.delivery.webhookId)),
      remove: (delivery) =>
        watch(deliveries.remove(delivery), (locks) => void locks.save("webhooks", delivery.webhookId))
    }
  }
}
