import type { AccountMethods } from "../access/Accounts.ts"
import type { ApiKeyMethods } from "../access/ApiKeys.ts"
import type { CategoryMethods } from "../categories/Categories.ts"
import type { InventoryMethods } from "../inventory/Inventory.ts"
import type { MessageMethods } from "../messages/Messages.ts"
import type { OrderMethods } from "../orders/Orders.ts"
import type { PetMethods } from "../pets/Pets.ts"
import type { RecordMethods } from "../records/Records.ts"
import type { AnyMetadata } from "../records/ResourceRecord.ts"
import type { CallOptions } from "../services/Options.ts"
import type { WebhookMethods } from "../webhooks/Webhooks.ts"
import type { EventMethods } from "./EventMethods.ts"

/** The methods on resources, each of which takes an input and returns a result. */
export interface ResourceMethods<
  Options extends CallOptions = CallOptions,
  Metadata extends AnyMetadata = AnyMetadata
> {
  readonly pets: PetMethods<Options>
  readonly categories: CategoryMethods<Options>
  readonly inventory: InventoryMethods<Options>
  readonly orders: OrderMethods<Options>
  readonly records: RecordMethods<Options, Metadata>
  readonly messages: MessageMethods<Options>
  readonly accounts: AccountMethods<Options>
  readonly apiKeys: ApiKeyMethods<Options>
  readonly webhooks: WebhookMethods<Options>
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
