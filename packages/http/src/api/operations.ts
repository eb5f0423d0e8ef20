import type * as Schema from "effect/Schema"
import { accountsOperations } from "./Accounts.ts"
import { apiKeysOperations } from "./ApiKeys.ts"
import { categoriesOperations } from "./Categories.ts"
import { consumersOperations } from "./Consumers.ts"
import { eventsOperations } from "./Events.ts"
import { inventoryOperations } from "./Inventory.ts"
import { messagesOperations } from "./Messages.ts"
import { ordersOperations } from "./Orders.ts"
import type { DeclaredOperation, TypeOf } from "./operation.ts"
import { petsOperations } from "./Pets.ts"
import { catalogueRecordsOperations, orderRecordsOperations } from "./Records.ts"
import { serverOperations } from "./Server.ts"
import { webhooksOperations } from "./Webhooks.ts"

const groups = [
  categoriesOperations,
  petsOperations,
  inventoryOperations,
  ordersOperations,
  catalogueRecordsOperations,
  orderRecordsOperations,
  messagesOperations,
  eventsOperations,
  consumersOperations,
  accountsOperations,
  apiKeysOperations,
  webhooksOperations,
  serverOperations
]

type Declared = (typeof groups)[number]["operations"][number]
export type DeclarationOf<Id extends OperationId> = Extract<Declared, { readonly id: Id }>

/** The name of an operation. */
export type OperationId = Declared["id"]

/** The decoded input of an operation; `never` for a part that it does not take. */
export interface OperationInput<Id extends OperationId> {
  readonly params: TypeOf<DeclarationOf<Id>["params"]>
  readonly query: TypeOf<DeclarationOf<Id>["query"]>
  readonly body: TypeOf<DeclarationOf<Id>["body"]>
}

export type OperationResult<Id extends OperationId> = DeclarationOf<Id>["success"] extends undefined
  ? Schema.Void["Type"]
  : TypeOf<DeclarationOf<Id>["success"]>

/** The name of the use case that carries an operation out. */
export type UseCaseOf<Id extends OperationId> = DeclarationOf<Id>["useCase"]

export interface Operation extends DeclaredOperation {
  readonly id: OperationId
  /** The heading of the operation in the OpenAPI document. */
  readonly tag: string
}

interface Group {
  readonly tag: string
  readonly operations: ReadonlyArray<DeclaredOperation & { readonly id: OperationId }>
}

const tagged = ({ operations, tag }: Group): ReadonlyArray<Operation> =>
  operations.map((operation) => ({ ...operation, tag }))

/** Every operation of the contract. */
export const operations: ReadonlyArray<Operation> = groups.flatMap(tagged)

/** A path of the contract with braces around its parameters, such as `/pets/{petId}`. */
export const pathTemplate = (path: string): string => path.replace(/:(\w+)/g, "{$1}")

/** The names of the parameters in a path of the contract, in their order. */
export const parameterNames = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name)

/**
 * Whether the successes of an operation are compressed for clients that accept it: lists, which can be large and have no
 * entity tag. Those of accounts and API keys never are, so that their length reveals nothing about a secret (BREACH).
 */
export const isCompressible = (operation: Operation): boolean =>
  isList(operation) && !operation.scopes.includes("admin")

const takes = ({ query }: Operation, parameter: string): boolean =>
  query !== undefined && "fields" in query && parameter in Object(query.fields)

/** Whether a page may have the total of its list. */
export const isCounted = (operation: Operation): boolean => takes(operation, "count")

/** Whether a success is a page of a list. */
export const isList = (operation: Operation): boolean =>
  operation.method === "GET" && operation.streams === undefined && takes(operation, "limit")
