/** What is said of a component and its fields beside its schema. */
export interface SchemaText {
  readonly description: string
  readonly fields?: Readonly<Record<string, string>>
  /** Fields that only answers set; an input may hold them, and they are ignored there. */
  readonly readOnly?: ReadonlyArray<string>
}

const absentStays = "What is absent stays as it is."
const stored = "Kept without blanks around it, in Unicode NFC."

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
  scopes: "What the key may do.",
  createdAt: "When the key was created.",
  expiresAt: "When the key stops working by itself.",
  lastUsedAt: "When the key was last used, to the minute."
}
const message = {
  id: "Identifies the message; later ones sort behind earlier ones.",
  message: "The text.",
  status: "How far the message has come.",
  createdAt: "When the message was queued."
}
const account = { name: "Who or what the keys of the account belong to; unique without regard to case." }

/** Every component but `Error`, whose shape is not one of the domain. */
export const schemaTexts: Readonly<Record<string, SchemaText>> = {
  PetStatus: {
    description:
      "`available`: units are free to order. `pending`: units are on hand, but all are reserved or the pet is on hold. `sold`: none is on hand."
  },
  NewPet: {
    description: `A pet to create. It starts with one unit on hand: free where \`status\` is absent or \`available\`, on hold where it is \`pending\`; with none where it is \`sold\`. Lengths are counted in Unicode code points. ${stored}`,
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
    description: "A pet and its stock, both of the same moment.",
    fields: { ...assignedId, ...newPet, inventory: "The stock of the pet." },
    readOnly: ["id"]
  },
  NewCategory: {
    description: `A category to create. Lengths are counted in Unicode code points. ${stored}`,
    fields: newCategory
  },
  Category: { description: "A category of animals.", fields: { ...assignedId, ...newCategory }, readOnly: ["id"] },
  CategoryUpdate: {
    description: `A change of a category. ${absentStays} A description of null is taken away.`,
    fields: { ...assignedId, ...newCategory },
    readOnly: ["id"]
  },
  Order: {
    description:
      "An order. Without a pet it is a draft and holds no stock; with one it is open and reserves its units, 1 if not said; once complete it is final.",
    fields: order,
    readOnly: ["id"]
  },
  OrderUpdate: {
    description: `A change of an order. ${absentStays} A \`shipDate\` of null is taken away.`,
    fields: order,
    readOnly: ["id"]
  },
  InventoryItem: {
    description: "The stock of one animal.",
    fields: {
      petId: "The ID of the animal this entry tracks.",
      quantity: "Current stock count. Reserved units are included.",
      status: "Status of the entry.",
      reserved: "Units promised to open orders.",
      available: "Units that can be ordered now; 0 while the pet is on hold."
    },
    readOnly: ["reserved", "available"]
  },
  InventoryUpdate: { description: "A new stock count.", fields: { quantity: "The new stock count." } },
  Movement: {
    description: "One entry of the append-only stock ledger.",
    fields: {
      petId: "The animal whose stock changed.",
      seq: "Counts the entries of the animal: 1, 2, 3, and so on.",
      kind: "Why the stock changed.",
      deltaOnHand: "Units that came (above 0) or left (below 0).",
      deltaReserved: "Units that were reserved (above 0) or freed (below 0).",
      orderId: "The order that caused it, if one did.",
      actor: "Who did it, such as `key:5`.",
      at: "When it happened."
    }
  },
  MovementKind: {
    description:
      "`initial`: the pet was created. `set`: the count was set. `held`, `unheld`: a hold began or ended. `reserved`: an order took units. `unreserved`: an amended order gave some back. `shipped`: an order was completed. `cancelled`: an order was cancelled. `written_off`: the pet was marked as sold. `removed`: the pet was deleted."
  },
  NewMessage: {
    description: `A message to queue. Lengths are counted in Unicode code points. ${stored}`,
    fields: { message: "The text." }
  },
  Message: { description: "A message of the durable queue.", fields: message },
  MessageStatus: {
    description:
      "`queued`: it was accepted and not delivered yet. `delivered`: it arrived. `failed`: delivery was given up."
  },
  NewAccount: { description: `An account to create. ${stored}`, fields: account },
  Account: {
    description: "Who holds API keys.",
    fields: { ...assignedId, ...account, createdAt: "When the account was created." }
  },
  NewApiKey: {
    description: "An API key to create, with either its scopes or a preset of them. They do not change later.",
    fields: {
      accountId: apiKey.accountId,
      name: apiKey.name,
      scopes: apiKey.scopes,
      preset: "A ready set of scopes.",
      expiresAt: `${apiKey.expiresAt} A time in the future.`
    }
  },
  ApiKey: { description: "An API key, without its secret.", fields: apiKey },
  ApiKeyWithSecret: {
    description: "An API key with its secret, which no other answer shows.",
    fields: { ...apiKey, key: "What to send as `Authorization: Bearer <key>`. Kept nowhere: store it now." }
  },
  ApiKeyRotation: {
    description: "How a key gets a new secret.",
    fields: { graceSeconds: "For how many seconds the old secret goes on working; 86400, a day, if absent." }
  },
  Scope: { description: "What an API key may do. `admin` implies all others." },
  Preset: {
    description:
      "A ready set of scopes. `read`: every `:read`. `write`: all of `read`, and pets:write, inventory:write, orders:write, orders:fulfil, messages:write. `admin`: everything. `storefront`: pets:read, inventory:read, orders:read, orders:write. `warehouse`: pets:read, inventory:read, inventory:write, orders:read, orders:fulfil."
  }
}
