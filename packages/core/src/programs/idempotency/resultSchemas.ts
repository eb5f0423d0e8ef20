import * as Schema from "effect/Schema"
import { Account } from "../../domain/access/Account.ts"
import { Category } from "../../domain/categories/Category.ts"
import { Id } from "../../domain/Id.ts"
import { ImportedFile, ImportedRows } from "../../domain/idempotency/importResults.ts"
import { InventoryItem } from "../../domain/inventory/InventoryItem.ts"
import { Message, MessageId } from "../../domain/messages/Message.ts"
import { Order } from "../../domain/orders/Order.ts"
import { Reservation } from "../../domain/orders/Reservation.ts"
import { Pet } from "../../domain/pets/Pet.ts"
import { ResourceRecord } from "../../domain/records/ResourceRecord.ts"
import type { CommandName } from "../../ports/Storage.ts"
import { versioned } from "../Options.ts"

const unversionedOrder = Schema.Struct({ ...Order.fields, id: Id, complete: Schema.Boolean })
const order = versioned(unversionedOrder)
const pet = versioned(Pet)
const category = versioned(Category)

/** A deletion returns nothing; its id is stored. */
const deleted = Schema.Struct({ id: Id })
const deletedMessage = Schema.Struct({ id: MessageId })

/** What a body returns. */
const ofBody = Schema.Struct({ value: Schema.optionalKey(Schema.Unknown) })

const schemas = {
  "accounts.create": Account,
  "apiKeys.revoke": deleted,
  "categories.create": category,
  "categories.delete": deleted,
  "categories.update": category,
  "imports.begin": ImportedFile,
  "imports.store": ImportedRows,
  "inventory.adjust": versioned(InventoryItem),
  "inventory.setAll": Schema.Array(InventoryItem),
  "inventory.adjustAll": Schema.Array(InventoryItem),
  "inventory.set": versioned(InventoryItem),
  "messages.delete": deletedMessage,
  "messages.enqueue": Message,
  once: ofBody,
  "orders.cancel": deleted,
  "orders.place": order,
  "orders.placeAll": Schema.Array(unversionedOrder),
  "orders.removeReservation": deleted,
  "orders.setReservation": versioned(Reservation),
  "orders.update": order,
  "pets.create": pet,
  "pets.createAll": Schema.Array(Pet),
  "pets.delete": deleted,
  "pets.update": pet,
  "records.update": versioned(ResourceRecord),
  transaction: ofBody,
  "webhooks.delete": deleted
} satisfies { readonly [Name in CommandName]?: Schema.ConstraintDecoder<unknown> }

/** A command that takes an idempotency key. */
export type RepeatableCommand = keyof typeof schemas

/** What a command returns, as it is stored. */
export type ResultOf<Name extends RepeatableCommand> = (typeof schemas)[Name]["Type"]

/** The results of all commands that take an idempotency key. None contains a secret, because they are stored in clear text. */
export const resultSchemas: { readonly [Name in RepeatableCommand]: Schema.ConstraintDecoder<ResultOf<Name>> } = schemas

/** Whether a command returns nothing, although an id is kept. */
export const isDeletion = (name: string): boolean => {
  const schema = (schemas as Readonly<Record<string, unknown>>)[name]
  return schema === deleted || schema === deletedMessage
}
