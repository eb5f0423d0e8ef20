/** What is said of a component and its fields beside its schema. */
export interface SchemaText {
  readonly description: string
  readonly fields?: Readonly<Record<string, string>>
  /** Fields that only answers set; an input may hold them, and they are ignored there. */
  readonly readOnly?: ReadonlyArray<string>
}

const absentStays = "Absent fields stay as they are."
const stored = "Text is stored without leading and trailing white space, in Unicode NFC."

const newPet = {
  name: "The animal's name.",
  categoryId: "The ID of the category the animal belongs to.",
  status: "Status of the pet."
}
const newCategory = {
  name: "The category name.",
  description: "A short description of the category."
}
const assignedId = { id: "Unique identifier assigned on creation." }
const order = {
  id: "Unique order identifier.",
  petId: "The ID of the animal in this order.",
  quantity: "Number of units ordered.",
  shipDate: "Expected or actual ship date in ISO 8601 format.",
  complete: "Whether the order has been fulfilled."
}
const apiKey = {
  ...assignedId,
  accountId: "The account that the key belongs to.",
  name: "What the key is for.",
  scopes: "The permissions of the key.",
  createdAt: "When the key was created.",
  expiresAt: "When the key expires. Absent if it does not expire.",
  lastUsedAt: "When the key was last used, to the minute. Absent if it was never used."
}
const message = {
  id: "Unique identifier assigned on creation. Later messages have greater ids.",
  message: "The text of the message.",
  status: "The delivery status of the message.",
  createdAt: "When the message was queued."
}
const account = { name: "The person or system that owns the account. Unique, ignoring case." }

/** Every component but `Error`, whose shape is not one of the domain. */
export const schemaTexts: Readonly<Record<string, SchemaText>> = {
  PetStatus: {
    description:
      "`available`: units can be ordered. `pending`: units are on hand, but all of them are reserved, or the pet is on hold. `sold`: no units are on hand."
  },
  NewPet: {
    description: `A pet to create. If \`status\` is absent or \`available\`, the pet starts with one unit on hand; if it is \`pending\`, with one unit and on hold; if it is \`sold\`, with none. Lengths are counted in Unicode code points. ${stored}`,
    fields: newPet
  },
  Pet: { description: "A pet.", fields: { ...assignedId, ...newPet }, readOnly: ["id"] },
  Pets: {
    description: "A page of pets: in ascending order of their ids, or of their names if they are searched by name."
  },
  PetUpdate: {
    description: `A change of a pet. ${absentStays}`,
    fields: { ...assignedId, ...newPet },
    readOnly: ["id"]
  },
  PetWithInventory: {
    description: "A pet and its stock as of the same moment.",
    fields: { ...assignedId, ...newPet, inventory: "The stock of the pet." },
    readOnly: ["id"]
  },
  NewCategory: {
    description: `A category to create. Lengths are counted in Unicode code points. ${stored}`,
    fields: newCategory
  },
  Category: { description: "A category of animals.", fields: { ...assignedId, ...newCategory }, readOnly: ["id"] },
  CategoryUpdate: {
    description: `A change of a category. ${absentStays} A description of null removes the description.`,
    fields: { ...assignedId, ...newCategory },
    readOnly: ["id"]
  },
  Order: {
    description:
      "An order. Without a pet it is a draft and reserves nothing; with one it is open and reserves its units (1 if `quantity` is absent). A complete order cannot be changed.",
    fields: order,
    readOnly: ["id"]
  },
  OrderUpdate: {
    description: `A change of an order. ${absentStays} A \`shipDate\` of null removes the date.`,
    fields: order,
    readOnly: ["id"]
  },
  InventoryItem: {
    description: "The stock of one animal.",
    fields: {
      petId: "The ID of the animal this entry tracks.",
      quantity: "Current stock count. Reserved units are included.",
      status: "Status of the entry.",
      reserved: "Units reserved by open orders.",
      available: "Units that can be ordered now: 0 while the pet is on hold."
    },
    readOnly: ["reserved", "available"]
  },
  InventoryUpdate: { description: "A new stock count.", fields: { quantity: "The new stock count." } },
  Movement: {
    description: "One entry of the append-only stock ledger.",
    fields: {
      petId: "The animal whose stock changed.",
      seq: "The number of the entry among those of the animal: 1, 2, 3, and so on.",
      kind: "Why the stock changed.",
      deltaOnHand: "The change of the units on hand.",
      deltaReserved: "The change of the reserved units.",
      orderId: "The order that caused the change, if there is one.",
      actor: "Who made the change, such as `key:5`.",
      at: "When the change was made."
    }
  },
  MovementKind: {
    description:
      "`initial`: the pet was created. `set`: the stock was set. `held`, `unheld`: a hold began or ended. `reserved`: an order reserved units. `unreserved`: a changed order released units. `shipped`: an order was completed. `cancelled`: an order was cancelled. `written_off`: the pet was marked as sold. `removed`: the pet was deleted."
  },
  NewMessage: {
    description: `A message to queue. Lengths are counted in Unicode code points. ${stored}`,
    fields: { message: "The text of the message." }
  },
  Message: { description: "A message in the durable queue.", fields: message },
  MessageStatus: {
    description:
      "`queued`: the message waits for delivery. `delivered`: it was delivered. `failed`: delivery failed for good."
  },
  NewAccount: { description: `An account to create. ${stored}`, fields: account },
  Account: {
    description: "An account that API keys belong to.",
    fields: { ...assignedId, ...account, createdAt: "When the account was created." }
  },
  NewApiKey: {
    description:
      "An API key to create, with either `scopes` or a `preset`. The scopes of a key cannot be changed later.",
    fields: {
      accountId: apiKey.accountId,
      name: apiKey.name,
      scopes: apiKey.scopes,
      preset: "A predefined set of scopes.",
      expiresAt: `${apiKey.expiresAt} Must be in the future.`
    }
  },
  ApiKey: { description: "An API key, without its secret.", fields: apiKey },
  ApiKeyWithSecret: {
    description: "An API key with its secret, which no other response contains.",
    fields: {
      ...apiKey,
      key: "The key to send as `Authorization: Bearer <key>`. The server does not store it: keep it in a safe place."
    }
  },
  ApiKeyRotation: {
    description: "Options of a rotation.",
    fields: { graceSeconds: "How many seconds the old secret keeps working; 86400 (a day) if absent." }
  },
  Scope: { description: "A permission of an API key. `admin` implies all others." },
  Preset: {
    description:
      "A predefined set of scopes. `read`: every `:read`. `write`: all of `read`, and pets:write, inventory:write, orders:write, orders:fulfil, messages:write. `admin`: everything. `storefront`: pets:read, inventory:read, orders:read, orders:write. `warehouse`: pets:read, inventory:read, inventory:write, orders:read, orders:fulfil."
  }
}
