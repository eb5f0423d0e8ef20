import { type PetDetails, StockRules } from "@petstore/core/domain"
import { type TableName, type TableRecords, traceparent } from "@petstore/core/ports"
import { type EventFormat, plainEvents } from "../EventRows.ts"
import type { ColumnType } from "../RowTarget.ts"
import type { Value } from "../Sql.ts"

/** A column that a record is stored in, and its value. */
export interface RestoredColumn<Stored> {
  readonly type: ColumnType
  readonly read: (record: Stored) => Value
}

/** A table, with every column of a record. */
export interface RestoredTable<Stored> {
  readonly table: string
  readonly columns: Readonly<Record<string, RestoredColumn<Stored>>>
}

const of =
  (type: ColumnType) =>
  <Stored>(read: (record: Stored) => Value): RestoredColumn<Stored> => ({ type, read })

const integer = of("integer")
const text = of("text")
const boolean = of("boolean")
const bytes = of("bytes")

// A new detail of a pet is added here; the compiler asks for it.
const petDetails: { readonly [Field in keyof PetDetails]-?: RestoredColumn<TableRecords["pets"]> } = {
  name: text(({ name }) => name),
  categoryId: integer(({ categoryId }) => categoryId)
}

/** The table of events, in a format of its own. */
export const restoredEvents = ({ values }: EventFormat): RestoredTable<TableRecords["events"]> => {
  let last: { readonly event: TableRecords["events"]; readonly values: ReturnType<EventFormat["values"]> } | undefined
  const at = (place: 0 | 1 | 2 | 3 | 4) =>
    text<TableRecords["events"]>((event) => {
      if (last?.event !== event) last = { event, values: values(event) }
      return last.values[place]
    })
  return {
    table: "petstore_events",
    columns: {
      seq: integer(({ seq }) => seq),
      id: at(0),
      type: at(1),
      subject: at(2),
      timestamp: at(3),
      data: at(4),
      trace: text((event) => event[traceparent])
    }
  }
}

/** Where each record of a store goes, whole and with its id. */
export const restoredTables: { readonly [Table in TableName]: RestoredTable<TableRecords[Table]> } = {
  accounts: {
    table: "petstore_accounts",
    columns: {
      id: integer(({ account }) => account.id),
      name: text(({ account }) => account.name),
      name_key: text(({ nameKey }) => nameKey),
      created_at: text(({ account }) => account.createdAt)
    }
  },
  apiKeys: {
    table: "petstore_api_keys",
    columns: {
      id: integer(({ key }) => key.id),
      account_id: integer(({ key }) => key.accountId),
      name: text(({ key }) => key.name),
      scopes: text(({ key }) => JSON.stringify(key.scopes)),
      created_at: text(({ key }) => key.createdAt),
      expires_at: text(({ key }) => key.expiresAt),
      last_used_at: text(({ key }) => key.lastUsedAt),
      digest: bytes(({ digest }) => digest),
      previous_digest: bytes(({ previous }) => previous?.digest),
      previous_until: text(({ previous }) => previous?.until),
      revoked: boolean(({ revoked }) => revoked)
    }
  },
  categories: {
    table: "petstore_categories",
    columns: {
      id: integer(({ category }) => category.id),
      name: text(({ category }) => category.name),
      name_key: text(({ nameKey }) => nameKey),
      description: text(({ category }) => category.description),
      version: integer(({ version }) => version),
      deleted: boolean(({ deleted }) => deleted)
    }
  },
  pets: {
    table: "petstore_pets",
    columns: {
      id: integer(({ id }) => id),
      name: petDetails.name,
      category_id: petDetails.categoryId,
      status: text(({ stock }) => StockRules.statusOf(stock)),
      version: integer(({ version }) => version),
      on_hand: integer(({ stock }) => stock.onHand),
      reserved: integer(({ stock }) => stock.reserved),
      held: boolean(({ stock }) => stock.held),
      stock_version: integer(({ stockVersion }) => stockVersion),
      last_movement: integer(({ lastMovement }) => lastMovement),
      deleted: boolean(({ deleted }) => deleted)
    }
  },
  orders: {
    table: "petstore_orders",
    columns: {
      id: integer(({ id }) => id),
      state: text(({ order }) => order.state),
      pet_id: integer(({ order }) => order.petId),
      quantity: integer(({ order }) => order.quantity),
      ship_date: text(({ order }) => order.shipDate),
      version: integer(({ version }) => version),
      owner: text(({ owner }) => owner)
    }
  },
  movements: {
    table: "petstore_movements",
    columns: {
      pet_id: integer(({ petId }) => petId),
      seq: integer(({ seq }) => seq),
      kind: text(({ kind }) => kind),
      delta_on_hand: integer(({ deltaOnHand }) => deltaOnHand),
      delta_reserved: integer(({ deltaReserved }) => deltaReserved),
      order_id: integer(({ orderId }) => orderId),
      actor: text(({ actor }) => actor),
      at: text(({ at }) => at)
    }
  },
  checkpoints: {
    table: "petstore_checkpoints",
    columns: {
      subject: text(({ subject }) => subject),
      seq: integer(({ seq }) => seq),
      state: text(({ state }) => state)
    }
  },
  events: restoredEvents(plainEvents),
  messages: {
    table: "petstore_messages",
    columns: {
      id: text(({ id }) => id),
      message: text(({ message }) => message),
      status: text(({ status }) => status),
      created_at: text(({ createdAt }) => createdAt),
      attempts: integer(({ attempts }) => attempts),
      fence: integer(({ lease }) => lease.fence),
      lease_until: text(({ lease }) => lease.until),
      due_at: text(({ dueAt }) => dueAt),
      finished_at: text(({ finishedAt }) => finishedAt),
      last_error: text(({ lastError }) => lastError),
      trace: text(({ trace }) => trace)
    }
  },
  idempotency: {
    table: "petstore_idempotency",
    columns: {
      account_id: integer(({ accountId }) => accountId),
      key: text(({ key }) => key),
      operation: text(({ operation }) => operation),
      fingerprint: bytes(({ fingerprint }) => fingerprint),
      answer: text(({ result }) => result),
      created_at: text(({ createdAt }) => createdAt)
    }
  },
  imports: {
    table: "petstore_imports",
    columns: {
      file: text(({ file }) => file),
      seq: integer(({ seq }) => seq),
      run: integer(({ run }) => run),
      settings: text(({ settings }) => settings),
      line: integer(({ line }) => line),
      imported: integer(({ imported }) => imported),
      rejected: integer(({ rejected }) => rejected),
      categories: integer(({ categories }) => categories),
      rejections: text(({ rejections }) => JSON.stringify(rejections)),
      finished: boolean(({ finished }) => finished),
      created_at: text(({ createdAt }) => createdAt)
    }
  },
  consumers: {
    table: "petstore_consumers",
    columns: {
      id: text(({ name }) => name),
      position: integer(({ position }) => position),
      fence: integer(({ lease }) => lease.fence),
      lease_until: text(({ lease }) => lease.until),
      holder: text(({ holder }) => holder),
      types: text(({ types }) => (types === undefined ? undefined : JSON.stringify(types))),
      attempts: integer(({ attempts }) => attempts),
      retry_at: text(({ retryAt }) => retryAt),
      failure: text(({ failure }) => failure?.message),
      failed_at: text(({ failure }) => failure?.at),
      created_at: text(({ createdAt }) => createdAt)
    }
  },
  parkedEvents: {
    table: "petstore_parked_events",
    columns: {
      consumer: text(({ consumer }) => consumer),
      seq: integer(({ seq }) => seq),
      attempts: integer(({ attempts }) => attempts),
      failure: text(({ failure }) => failure),
      parked_at: text(({ parkedAt }) => parkedAt),
      replay: boolean(({ replay }) => replay)
    }
  },
  webhooks: {
    table: "petstore_webhooks",
    columns: {
      id: integer(({ webhook }) => webhook.id),
      url: text(({ webhook }) => webhook.url),
      types: text(({ webhook: { types } }) => (types === undefined ? undefined : JSON.stringify(types))),
      description: text(({ webhook }) => webhook.description),
      ordered: boolean(({ webhook }) => webhook.ordered),
      concurrency: integer(({ webhook }) => webhook.concurrency),
      enabled: boolean(({ webhook }) => webhook.enabled),
      disabled_reason: text(({ webhook }) => webhook.disabledReason),
      disabled_at: text(({ webhook }) => webhook.disabledAt),
      created_at: text(({ webhook }) => webhook.createdAt),
      secret: text(({ secret }) => secret),
      previous_secret: text(({ previous }) => previous?.secret),
      previous_until: text(({ previous }) => previous?.until),
      failing_since: text(({ failingSince }) => failingSince),
      route: text(({ route }) => JSON.stringify(route)),
      version: integer(({ version }) => version),
      deleted: boolean(({ deleted }) => deleted)
    }
  },
  deliveries: {
    table: "petstore_deliveries",
    columns: {
      id: integer(({ delivery }) => delivery.id),
      webhook_id: integer(({ delivery }) => delivery.webhookId),
      seq: integer(({ delivery }) => delivery.seq),
      event_id: text(({ delivery }) => delivery.eventId),
      type: text(({ delivery }) => delivery.type),
      subject: text(({ delivery }) => delivery.subject),
      status: text(({ delivery }) => delivery.status),
      attempts: integer(({ delivery }) => delivery.attempts),
      created_at: text(({ delivery }) => delivery.createdAt),
      next_attempt_at: text(({ delivery }) => delivery.nextAttemptAt),
      last_attempt_at: text(({ delivery }) => delivery.lastAttemptAt),
      failure: text(({ delivery }) => delivery.failure),
      response_status: integer(({ delivery }) => delivery.responseStatus),
      message: text(({ delivery }) => delivery.message),
      finished_at: text(({ delivery }) => delivery.finishedAt),
      fence: integer(({ lease }) => lease.fence),
      lease_until: text(({ lease }) => lease.until)
    }
  }
}
