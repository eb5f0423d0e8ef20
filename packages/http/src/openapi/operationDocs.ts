import * as Accounts from "../api/Accounts.ts"
import * as ApiKeys from "../api/ApiKeys.ts"
import * as Categories from "../api/Categories.ts"
import * as Consumers from "../api/Consumers.ts"
import type { OperationDocs, ParameterDocs, ResourceDocs } from "../api/docs.ts"
import * as Events from "../api/Events.ts"
import * as Inventory from "../api/Inventory.ts"
import * as Messages from "../api/Messages.ts"
import * as Orders from "../api/Orders.ts"
import type { DeclarationOf, OperationId } from "../api/operations.ts"
import { operations } from "../api/operations.ts"
import * as Pets from "../api/Pets.ts"
import * as Records from "../api/Records.ts"
import * as Server from "../api/Server.ts"
import * as Webhooks from "../api/Webhooks.ts"

type Docs = { readonly [Id in OperationId]: OperationDocs<DeclarationOf<Id>> }

// The compiler demands the function `<id>Docs` of each operation.
const functions: { readonly [Id in OperationId as `${Id}Docs`]: () => Docs[Id] } = {
  ...Pets,
  ...Categories,
  ...Inventory,
  ...Orders,
  ...Records,
  ...Messages,
  ...Events,
  ...Consumers,
  ...Accounts,
  ...ApiKeys,
  ...Webhooks,
  ...Server
}

/** The documentation of each operation. */
export const operationDocs = Object.fromEntries(operations.map(({ id }) => [id, functions[`${id}Docs`]()])) as Docs

const resources = [
  Pets.petsDocs(),
  Categories.categoriesDocs(),
  Inventory.inventoryDocs(),
  Orders.ordersDocs(),
  Records.recordsDocs(),
  Messages.messagesDocs(),
  Events.eventsDocs(),
  Consumers.consumersDocs(),
  Accounts.accountsDocs(),
  ApiKeys.apiKeysDocs(),
  Webhooks.webhooksDocs(),
  Server.serverDocs()
] satisfies ReadonlyArray<ResourceDocs>

/** The documentation of the parameters of paths. */
export const pathParameterDocs: Readonly<Record<string, ParameterDocs>> = Object.assign(
  {},
  ...resources.map(({ parameters }) => parameters)
)

/** The documentation of the schemas of the domain. */
export const schemaDocs = resources.flatMap(({ schemas }) => schemas)
