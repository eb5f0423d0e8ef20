import type { Event, EventListQuery, EventQuery, EventType } from "../domain/events/Event.ts"
import type { Page } from "../domain/Page.ts"
import type { AnyMetadata } from "../domain/records/ResourceRecord.ts"
import type { AccountMethods } from "../programs/access/Accounts.ts"
import type { ApiKeyMethods } from "../programs/access/ApiKeys.ts"
import type { CategoryMethods } from "../programs/categories/Categories.ts"
import type { InventoryMethods } from "../programs/inventory/Inventory.ts"
import type { MessageMethods } from "../programs/messages/Messages.ts"
import type { CallOptions } from "../programs/Options.ts"
import type { OrderMethods } from "../programs/orders/Orders.ts"
import type { PetMethods } from "../programs/pets/Pets.ts"
import type { RecordMethods } from "../programs/records/Records.ts"
import type { DeliveryMethods } from "../programs/webhooks/Deliveries.ts"
import type { WebhookMethods } from "../programs/webhooks/Webhooks.ts"

/** Which events a subscription receives, and who handles its errors. */
export interface SubscribeOptions<T extends EventType = EventType> extends EventQuery<T> {
  /**
   * Called and awaited with what the listener threw and the event; the next event follows. Called without an event if the
   * log could not be read, which is retried after the next commit; but with `CursorExpired`, if the next event is no longer
   * kept, the subscription ends. Default: both are logged.
   */
  readonly onError?: ((error: unknown, event: Event<T> | undefined) => unknown) | undefined
  /** Ends the subscription. */
  readonly signal?: AbortSignal | undefined
}

/** A listener and its position in the event log. */
export interface Subscription {
  /**
   * The `seq` of the last handled event. Store it, and pass it as `after` to continue there later. Listeners must be
   * idempotent: an event that was being handled when the process ended is delivered again.
   */
  readonly position: number
  /** Ends the subscription. A call of the listener that has begun continues, and counts for {@link position} when it is done. */
  close(): void
  /** The same as {@link close}, for `using`. */
  [Symbol.dispose](): void
}

/** The methods of `petstore.events`: the event log. */
export interface EventMethods {
  /** The `seq` of the last event; 0 if there is none. */
  latest(options?: CallOptions): Promise<number>
  /**
   * Lists one page of events, in ascending order of `seq`. With `types` or `subject`, it searches at most 1,000 events: a page
   * may have few events or none, though there are more. Only a page without `next` is the last. Fails with `cursor_expired` if
   * the events after a position are no longer kept.
   */
  list(query?: EventListQuery, options?: CallOptions): Promise<Page<Event>>
  /** Iterates over all events up to the last one, a page at a time. */
  all(query?: EventListQuery, options?: CallOptions): AsyncIterable<Event>
  /**
   * Iterates over every event after `after`, or every new event, as soon as it is committed. The loop ends when the
   * petstore closes. It does not keep the process alive.
   */
  stream<const T extends EventType = EventType>(query?: EventQuery<T>, options?: CallOptions): AsyncIterable<Event<T>>
  /**
   * Calls a listener with every event after `after`, or every new event, soon after its commit by any process. Events
   * arrive in order of `seq`, one at a time: a promise that the listener returns is awaited. A slow listener delays no
   * writes and no other listener, and does not keep the process alive. The subscription ends when the petstore closes.
   *
   * @example
   * ```ts
   * import { createPetstore } from "@petstore/core"
   *
   * const petstore = await createPetstore()
   * const subscription = await petstore.events.subscribe(
   *   (event) => console.log(`order ${event.data.id} is on its way`),
   *   { types: ["order.completed"] }
   * )
   * subscription.close()
   * await petstore.close()
   * ```
   */
  subscribe<const T extends EventType = EventType>(
    listener: (event: Event<T>) => unknown,
    options?: SubscribeOptions<T>
  ): Promise<Subscription>
}

/** The methods on resources, each of which takes an input and returns a result. */
export interface ResourceMethods<
  Options extends CallOptions = CallOptions,
  Metadata extends AnyMetadata = AnyMetadata
> {
  readonly pets: PetMethods<Options, Metadata["pets"]>
  readonly categories: CategoryMethods<Options, Metadata["categories"]>
  readonly inventory: InventoryMethods<Options>
  readonly orders: OrderMethods<Options, Metadata["orders"]>
  readonly records: RecordMethods<Options, Metadata>
  readonly messages: MessageMethods<Options>
  readonly accounts: AccountMethods<Options>
  readonly apiKeys: ApiKeyMethods<Options>
  readonly webhooks: WebhookMethods<Options>
  readonly deliveries: DeliveryMethods<Options>
}

/**
 * The methods that an in-process and a remote petstore have in common. Every method rejects with a `PetstoreError`:
 * with those that it lists, and with `validation_failed` or an error of the storage (503). Rules of your app may add codes
 * of their own to new pets, status changes, orders and cancellations. `Options` is what every method accepts; an in-process
 * petstore accepts more than a remote one. `Metadata` is the type of the metadata of each kind of resource.
 */
export interface PetstoreApi<Options extends CallOptions = CallOptions, Metadata extends AnyMetadata = AnyMetadata>
  extends ResourceMethods<Options, Metadata> {
  readonly events: EventMethods
}
