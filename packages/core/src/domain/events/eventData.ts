/** What events carry: resources after a change. Webhooks, the REST API and the document share these schemas. */

import * as Schema from "effect/Schema"
import * as Struct from "effect/Struct"
import { ApiKey } from "../access/ApiKey.ts"
import { Category } from "../categories/Category.ts"
import { Id } from "../Id.ts"
import { InventoryItem, StockQuantity } from "../inventory/InventoryItem.ts"
import { AdjustmentReason } from "../inventory/Movement.ts"
import { PetStatus } from "../inventory/Stock.ts"
import { MessageId } from "../messages/Message.ts"
import { Order } from "../orders/Order.ts"
import { orderStatesWhere } from "../orders/OrderState.ts"
import { Pet } from "../pets/Pet.ts"
import { WebhookState } from "../webhooks/WebhookState.ts"

/** A change that callers see increases it by one. */
const version = Id

const petFields = { ...Pet.fields, status: PetStatus, version }

/** A pet with its status and version. */
export const PetEventData = Schema.Struct(petFields).annotate({ identifier: "PetEventData" })
export interface PetEventData extends Schema.Schema.Type<typeof PetEventData> {}

/** A pet whose status has changed, with the previous status. */
export const PetStatusEventData = Schema.Struct({ ...petFields, previous: PetStatus }).annotate({
  identifier: "PetStatusEventData"
})
export interface PetStatusEventData extends Schema.Schema.Type<typeof PetStatusEventData> {}

/** A category with its version. */
export const CategoryEventData = Schema.Struct({ ...Category.fields, version }).annotate({
  identifier: "CategoryEventData"
})
export interface CategoryEventData extends Schema.Schema.Type<typeof CategoryEventData> {}

/** The stock of a pet with its version, and whether the pet is on hold. */
export const InventoryEventData = Schema.Struct({
  ...InventoryItem.fields,
  reserved: StockQuantity,
  available: StockQuantity,
  held: Schema.Boolean,
  version,
  /** Why units were added or taken away, if by hand. */
  reason: Schema.optionalKey(AdjustmentReason)
}).annotate({ identifier: "InventoryEventData" })
export interface InventoryEventData extends Schema.Schema.Type<typeof InventoryEventData> {}

/** An order with its state and version. */
export const OrderEventData = Schema.Struct({
  ...Order.fields,
  id: Id,
  complete: Schema.Boolean,
  state: Schema.Literals(orderStatesWhere(({ visible }) => visible)),
  version
}).annotate({ identifier: "OrderEventData" })
export interface OrderEventData extends Schema.Schema.Type<typeof OrderEventData> {}

/** An endpoint of webhooks with its version, without its URL and secret. */
export const WebhookEventData = Schema.Struct({ ...WebhookState.fields, version }).annotate({
  identifier: "WebhookEventData"
})
export interface WebhookEventData extends Schema.Schema.Type<typeof WebhookEventData> {}

/** An API key without its secret, and without its use. */
export const ApiKeyEventData = Schema.Struct(Struct.omit(ApiKey.fields, ["lastUsedAt"])).annotate({
  identifier: "ApiKeyEventData"
})
export interface ApiKeyEventData extends Schema.Schema.Type<typeof ApiKeyEventData> {}

/** The id of a resource, of which there is nothing else to say. */
export const ResourceId = Schema.Struct({ id: Id }).annotate({ identifier: "ResourceId" })
export interface ResourceId extends Schema.Schema.Type<typeof ResourceId> {}

/** The id of a message that was deleted. */
export const DeletedMessage = Schema.Struct({ id: MessageId }).annotate({ identifier: "DeletedMessage" })
export interface DeletedMessage extends Schema.Schema.Type<typeof DeletedMessage> {}
