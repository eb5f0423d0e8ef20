import type { Account } from "../../domain/access/Account.ts"
import type { EventData } from "../../domain/events/Event.ts"
import type { Movement } from "../../domain/inventory/Movement.ts"
import type { PetStatus, Stock } from "../../domain/inventory/Stock.ts"
import type { MessageRecord } from "../../domain/messages/MessageState.ts"
import type { CountedRecord, RecordKind } from "../../domain/records/ResourceRecord.ts"
import type { Delivery } from "../../domain/webhooks/Delivery.ts"
import type { WebhookRoute } from "../../domain/webhooks/Webhook.ts"
import type { Value } from "../../kernel/Table.ts"
import type { ApiKeyRecord } from "../../tables/accessTables.ts"
import type { CategoryRecord } from "../../tables/categoryTable.ts"
import type { ConsumerRecord, ParkedEventRecord } from "../../tables/consumerTables.ts"
import type { EndingRecord } from "../../tables/endingTable.ts"
import type { EventRecord } from "../../tables/eventTable.ts"
import type { OrderRecord } from "../../tables/orderTable.ts"
import type { PetRecord } from "../../tables/petTable.ts"
import type { DeliveryRecord, WebhookRecord } from "../../tables/webhookTables.ts"
import type { ApiKeyStep } from "./ApiKeyLog.ts"
import type { CheckpointTotal } from "./checkpoint/CheckpointState.ts"
import type { OrderEventOfPet, OrderOfPet, StoredResult } from "./Facts.ts"
import type { Row } from "./Finding.ts"
import type { Ledger, StockTrace } from "./Ledger.ts"
import type { MessageStep, ReplayedMessage } from "./MessageLog.ts"
import type { OrderEffectOnPet } from "./OrderEffects.ts"
import type { StatusStep } from "./PetStatuses.ts"
import type { Change, Replayed } from "./ResourceLog.ts"

/** What rules are checked on: rows, and what other parts of the store show about them. */
export interface Subjects {
  /** A problem that the store finds in itself; undefined if it finds none. */
  readonly damage: string | undefined
  /** A webhook, and why what is encrypted of it cannot be decrypted; undefined if it can. */
  readonly decrypted: { readonly webhookId: number; readonly problem: string | undefined }
  /** The next row of a table in ascending id, and the id before. */
  readonly row: { readonly table: string; readonly id: number | string; readonly before: number | string | undefined }
  /** The times of a row. Absent ones are undefined. */
  readonly times: { readonly row: Row; readonly times: Readonly<Record<string, Value>> }

  /** A category, and the one that is found by its name. */
  readonly category: { readonly record: CategoryRecord; readonly byName: CategoryRecord | undefined }
  readonly petOfCategory: {
    readonly petId: number
    readonly deleted: boolean
    readonly categoryId: number
    readonly category: CategoryRecord | undefined
  }

  /** A pet, with all of its movements and open orders, and the trace that the events of its stock leave. */
  readonly pet: {
    readonly record: PetRecord
    readonly ledger: Ledger
    readonly openUnits: number
    readonly trace: StockTrace | undefined
  }
  /** The status that a pet is listed under. */
  readonly listing: {
    readonly petId: number
    readonly listed: PetStatus | "several" | undefined
    readonly record: PetRecord | undefined
  }

  /** A movement, with the ledger before it, the stock after it, and its pet. */
  readonly movement: {
    readonly movement: Movement
    readonly before: Ledger
    readonly after: Stock
    readonly pet: PetRecord | undefined
  }
  /** A movement that names an order, and that order. */
  readonly movementOfOrder: { readonly movement: Movement; readonly order: OrderRecord | undefined }

  readonly order: OrderRecord
  /** An order with a pet, and that pet. */
  readonly orderOfPet: { readonly order: OrderOfPet; readonly pet: PetRecord | undefined }
  /** An event of an order with a pet, and that pet as it was then. */
  readonly orderEventOfPet: {
    readonly event: OrderEventOfPet
    readonly pet: Replayed<EventData["pet.created"]> | undefined
  }
  readonly orderEffect: OrderEffectOnPet
  readonly ending: { readonly ending: EndingRecord; readonly order: OrderRecord | undefined }

  /** The number of the next event of the log. */
  readonly eventNumber: { readonly seq: number; readonly expectedSeq: number }
  readonly event: EventRecord
  /** A change of a resource, by its event. */
  readonly change: Change
  /** The status of a pet in an event. */
  readonly status: StatusStep
  /** A row of a table with what its events give of it; one of them may be missing. */
  readonly replayedRow: {
    readonly table: "apiKeys" | "categories" | "inventory" | "orders" | "pets" | "webhooks"
    readonly id: number
    readonly stored: Row | undefined
    readonly expected: Row | undefined
  }

  /** What is set in the record of a resource, as it is stored and as its events show it. */
  readonly replayedRecord: {
    readonly kind: RecordKind
    readonly id: number
    readonly stored: CountedRecord
    readonly replayed: CountedRecord
    /** Whose the record is, and whose the resource. */
    readonly owners: { readonly stored: string | undefined; readonly expected: string | undefined }
  }

  /** A row of the checkpoint, and what is wrong with it. */
  readonly checkpoint: { readonly subject: string; readonly problem: string | undefined }
  /** All rows of the checkpoint, and what its row of the log shows of them. */
  readonly checkpoints: { readonly stored: CheckpointTotal; readonly expected: CheckpointTotal }
  /** Rows of a table that have ended and whose events were removed, and what the checkpoint shows of them. */
  readonly settled: {
    readonly table: string
    /** Their ids, such as "256 to 511". */
    readonly rows: string
    readonly stored: CheckpointTotal
    readonly expected: CheckpointTotal
  }
  /** A message, and the digest of what it shows that removed events leave. */
  readonly foldedMessage: { readonly messageId: string; readonly digest: number; readonly expected: number }
  readonly messageRow: MessageRecord
  readonly messageStep: MessageStep
  readonly message: ReplayedMessage
  /** An endpoint of webhooks. */
  readonly webhook: WebhookRecord
  readonly delivery: DeliveryRecord
  /** A delivery and its event; undefined if there is none. */
  readonly deliveredEvent: { readonly delivery: Delivery; readonly event: EventRecord | undefined }
  /** An event that an endpoint receives by the events before it. */
  readonly routedEvent: { readonly event: EventRecord; readonly webhookId: number; readonly isDelivered: boolean }
  /** The route of an endpoint as it is stored, and as the events give it; undefined if it is before the endpoint's creation. */
  readonly route: {
    readonly webhookId: number
    readonly stored: WebhookRoute
    readonly replayed: WebhookRoute | undefined
    /** The `seq` of the last event. */
    readonly latest: number
  }

  readonly apiKeyStep: ApiKeyStep

  /** A stored result, and the creation that it belongs to; undefined if there is none. */
  readonly storedResult: {
    readonly record: StoredResult
    readonly creation: { readonly result: Row; readonly at: string } | undefined
  }

  /** An account, and the one that is found by its name. */
  readonly account: { readonly account: Account; readonly byName: Account | undefined }
  readonly apiKey: { readonly key: ApiKeyRecord["key"]; readonly account: Account | undefined }
  /** A consumer of events, and the number of the last event. */
  readonly consumer: { readonly consumer: ConsumerRecord; readonly latest: number }
  readonly parkedEvent: { readonly event: ParkedEventRecord; readonly consumer: ConsumerRecord | undefined }
}
