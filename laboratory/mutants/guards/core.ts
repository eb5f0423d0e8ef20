import { corePackages } from "../Trial.ts"
import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const http = "packages/http/src"

const consumers = `${core}/runtime/consumers`
const holders = `${consumers}/LeaseHolders.ts`
const loop = `${consumers}/ConsumerLoop.ts`
const eventWindow = `${consumers}/EventWindow.ts`

const consumersOfEvents: Subject = {
  name: "consumers",
  suite: {
    tests: [
      `${consumers}/Consumers.test.ts`,
      `${consumers}/{ConsumerClaims,concurrentConsumers}.test.ts`,
      `${consumers}/LeaseHolders.int.test.ts`
    ],
    // This one takes long.
    names: "^(?!.*given any subjects, durations and failures)",
    packages: corePackages
  },
  guards: [
    [holders, `@\${machine.replaceAll(".", "\\\\.")}\\\\.(\\\\d+)-`, "@.*\\\\.(\\\\d+)-"],
    [
      holders,
      "if (status === undefined) return hasNoProcess(process, Number(other))",
      "if (status === undefined) return true"
    ],
    [`${consumers}/runConsumer.ts`, "Math.min(after ?? latest, latest)", "after ?? latest"],
    [eventWindow, "headOnly ? 1 : this.reach", "this.reach"],
    [eventWindow, "headOnly ? 1 : this.reach", "headOnly ? 1 : this.entries.length"],
    [loop, "if (!this.isDraining()) this.startAll(window, start)", "this.startAll(window, start)"]
  ]
}

const server = `${http}/server`
const idempotencyOf = `${core}/programs/idempotency/once.ts`

const idempotency: Subject = {
  name: "idempotency",
  suite: {
    tests: [
      `${core}/programs/idempotency/once.test.ts`,
      `${core}/petstore/petstore.contract.test.ts`,
      `${server}/routes/idempotency.int.test.ts`,
      "packages/adapters/src/postgres/clocks.int.test.ts"
    ],
    names:
      "given a key that was used|given calls with keys|idempotency|an Idempotency-Key|of which one has a clock eight days ahead",
    packages: allPackages
  },
  guards: [
    [idempotencyOf, "storedKeyOf({ accountId, key: ownKey })", "storedKeyOf({ accountId: 0, key: ownKey })"],
    [idempotencyOf, `\`\${operation} \${canonical(input)}\``, "canonical(input)"],
    [idempotencyOf, "  ifVersion: versionsOf(options?.ifVersion),\n", ""],
    [idempotencyOf, ",\n  unlessVersion: versionsOf(options?.unlessVersion)", ""],
    [`${core}/programs/pets/Pets.ts`, '{ ...input, status: input.status ?? "available" }', "input"],
    [`${core}/programs/orders/Orders.ts`, "() => ({ ...meaningOf(input), reserveFor", "() => ({ ...input, reserveFor"],
    [
      `${server}/routes/operationRoute.ts`,
      '  if (use === "rejected") return InvalidIdempotencyKey.ofOperation()\n',
      ""
    ],
    [`${server}/routes/operationRoute.ts`, '  if (use === "ignored") return undefined\n', ""],
    [`${server}/response/successResponse.ts`, '["Idempotent-Replayed", "true"]', "[]"]
  ]
}

const work = `${core}/runtime/webhooks/DeliveryWork.ts`
const deliveries = `${core}/runtime/webhooks/deliveryCommands.ts`
const claims = `${consumers}/ConsumerClaims.ts`
const delivery = `${core}/runtime/messages/MessageDelivery.ts`
const worker = `${core}/runtime/background/Worker.ts`

const leases: Subject = {
  name: "leases",
  suite: {
    tests: [
      `${core}/domain/Lease.test.ts`,
      `${core}/domain/messages/MessageState.test.ts`,
      `${core}/runtime/background/{Alarm,Worker}.test.ts`,
      `${consumers}/ConsumerClaims.test.ts`,
      `${core}/programs/webhooks/attempt.test.ts`,
      `${core}/runtime/webhooks/{dispatch,EndpointPace}.test.ts`,
      `${core}/runtime/messages/MessageDelivery.test.ts`
    ],
    packages: corePackages
  },
  guards: [
    [
      deliveries,
      "count(leasedDeliveries, { webhookId, after: now, through }",
      'count(leasedDeliveries, { webhookId, after: now, through: "9" }'
    ],
    [deliveries, "Math.min(webhook.webhook.concurrency, most)", "webhook.webhook.concurrency"],
    [
      deliveries,
      "claimed(due.lease, now, deliveryLeaseMillis)",
      "{ ...due.lease, until: plusMillis(now, deliveryLeaseMillis) }"
    ],
    [
      claims,
      `return Effect.map(
        this.change(claim, "consumers.record", (record) => handledUpTo(record, position)),
        () => {
          claim.recorded = position
        }
      )`,
      `claim.recorded = position; return this.change(claim, "consumers.record", (record) => handledUpTo(record, position))`
    ],
    [delivery, 'isDraining ? "released" : ', ""],
    [`${core}/runtime/messages/MessageQueue.ts`, "random.nextDoubleUnsafe()", "0.5"],
    [
      work,
      "delivery: { ...delivery, nextAttemptAt: now },\n          lease: released",
      "delivery,\n          lease: released"
    ],
    [`${core}/programs/webhooks/attempt.ts`, " && previous.until > formatTimestamp(now)", ""],
    [
      `${core}/runtime/webhooks/EndpointPace.ts`,
      "Math.max(this.resumesAt, now + Math.min(outcome.retryAfter * 1_000, longestPauseMillis))",
      "now + Math.min(outcome.retryAfter * 1_000, longestPauseMillis)"
    ],
    [worker, "known.item = item", ""]
  ]
}

const scopes = `${http}/api/requiredScopes.ts`
const route = `${http}/server/routes/operationRoute.ts`

const ownOrders: Subject = {
  name: "own orders",
  suite: {
    tests: [
      `${core}/petstore/{PetstoreUser,petstore.contract}.test.ts`,
      `${core}/programs/events/EventTail.test.ts`,
      `${http}/server/authentication/ownOrders.int.test.ts`
    ],
    names: "petstore.as|own orders|customers with|given followers of the orders of one owner",
    packages: allPackages
  },
  guards: [
    [`${core}/domain/events/EventFilter.ts`, "owner ?? null", "null"],
    [
      `${core}/programs/orders/Orders.ts`,
      "{ ...filters, owner: visibleOwner(principal) }",
      "{ ...filters, owner: undefined }"
    ],
    [`${core}/programs/orders/Orders.ts`, "  owner: visibleOwner(call.principal)\n", ""],
    [`${core}/runtime/events/Events.ts`, "{ ...filter, ...visible }", "filter"],
    [`${core}/runtime/events/Events.ts`, "visibleEvents(principal),", "{},"],
    [scopes, "  !scopes.every((scope) => allows(held, scope)) &&\n", ""],
    [scopes, "if (ownScope !== undefined && isOwnOnly(needs, held)) return [ownScope]", ""],
    [
      scopes,
      'allOrdersScope !== undefined && held.includes("orders:own") ? [...scopes, allOrdersScope] : scopes',
      "scopes"
    ],
    [route, "ownOnly: isOwnOnly(operation, caller.scopes)", "ownOnly: false"],
    [
      route,
      "if (!this.isCommand && principal.ownOnly !== true) return undefined",
      "if (!this.isCommand) return undefined"
    ]
  ]
}

const engine = `${core}/kernel/Table.ts`
const rows = `${core}/adapter-toolkit/SynchronousRows.ts`

/** What descriptions of tables promise, and how stores keep it. */
const tables: Subject = {
  name: "tables",
  suite: {
    tests: [
      `${core}/memory/{memory,storage.contract}.test.ts`,
      `${core}/petstore/{createPetstore,rules}.test.ts`,
      `${core}/programs/access/ApiKeys.test.ts`,
      `${core}/programs/idempotency/once.test.ts`,
      `${core}/runtime/webhooks/dispatch.test.ts`,
      "packages/adapters/src/sqlite/storage.contract.test.ts",
      "packages/adapters/src/sql/*.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/tables/petTable.ts`, "  problemOf: ({ deleted, stock }) => {", "  copy: ({ deleted, stock }) => {"],
    [`${core}/tables/petTable.ts`, 'references: { category_id: "categories" },\n', ""],
    [`${core}/tables/petTable.ts`, "[afterName, after]", "[afterName]"],
    [`${core}/tables/petTable.ts`, "before: afterPrefix(name)", "before: undefined"],
    [
      `${core}/tables/petTable.ts`,
      "onHand: one.stock.onHand, reserved: one.stock.reserved",
      "onHand: one.stock.reserved, reserved: one.stock.onHand"
    ],
    [`${core}/tables/orderTable.ts`, "live: visible", "live: []"],
    [`${core}/tables/movementTable.ts`, '  numberedBy: "pet_id",\n', ""],
    [`${core}/tables/orderTable.ts`, "  problemOf: ({ order: content }) => fieldProblem(content),\n", ""],
    [`${core}/tables/consumerTables.ts`, '  existing: "kept",\n', ""],
    [`${core}/tables/messageTable.ts`, '{ index: "leased", after: [longestLease] },', ""],
    [`${core}/tables/messageTable.ts`, '{ index: "due", after: [longestDelay] }', ""],
    [`${core}/tables/messageTable.ts`, 'sql: "coalesce(due_at, created_at)"', 'sql: "created_at"'],
    [`${core}/tables/messageTable.ts`, "dueAt ?? createdAt", "createdAt"],
    [`${core}/tables/webhookTables.ts`, "after: [after], to: through", "after: [after]"],
    [`${core}/tables/accessTables.ts`, 'apiKey.bytes("previous?.digest")', 'apiKey.bytes("digest")'],
    [engine, "left - right : isSurrogate(left) ? 1 : -1", "left - right : left - right"],
    [engine, "return Number.NEGATIVE_INFINITY", "return Number.POSITIVE_INFINITY"],
    [engine, "if (value instanceof Uint8Array) return value.slice()", "if (value instanceof Uint8Array) return value"],
    [rows, "(isReversed ? ascending.toReversed() : ascending).slice(0, limit)", "listed.slice(0, limit)"]
  ]
}

const recording = `${core}/programs/transactions/Recording.ts`

/** What a transaction decides by. */
const transactions: Subject = {
  name: "transactions",
  suite: {
    tests: [
      `${core}/kernel/Transaction.test.ts`,
      `${core}/programs/transactions/Recording.test.ts`,
      `${core}/petstore/{transactions,transactionBodies}.test.ts`,
      `${core}/runtime/orders/Reservations.test.ts`,
      `${core}/domain/orders/Order.test.ts`,
      "packages/adapters/src/sqlite/commit/GroupCommit.int.test.ts"
    ],
    packages: allPackages
  },
  guards: [
    [`${core}/programs/orders/reservationCommands.ts`, "Math.min(wanted, longest)", "wanted"],
    [`${core}/domain/orders/Order.ts`, 'order.state === "draft" ? expiresAt : order.expiresAt', "expiresAt"],
    [recording, "else ask(this.explain(exit.cause), asker, done)", "else done(exit)"],
    [recording, "else if (!isSame(table, seen.row, row)) seen.isUnsteady = true", ""],
    [recording, "isSteady ? longer : { ...longer, result: unsteady.keys }", "longer"],
    [recording, "isSteady ? read : { ...read, result: unsteady.count }", "read"],
    [`${core}/kernel/Transaction.ts`, "      this.places = undefined\n      this.placed = 0\n", ""],
    ["packages/adapters/src/sqlite/commit/GroupCommit.ts", "if (refusal !== undefined) this.writer.rollback()", ""]
  ]
}

/** What random faults of the core miss: arguments, fields and assignments that are left out. */
export const coreSubjects: ReadonlyArray<Subject> = [
  leases,
  consumersOfEvents,
  idempotency,
  ownOrders,
  tables,
  transactions
]
