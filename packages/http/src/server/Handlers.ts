import {
  inputOf,
  type MethodName,
  type methodInputs,
  type Page,
  type PetstoreError,
  type RecordKind
} from "@petstore/core/domain"
import type { Asker } from "@petstore/core/ports"
import {
  Commands,
  Consumers,
  Events,
  type RevokeOptions,
  type Runtime,
  traced,
  type UseCase,
  UseCaseRunner,
  useCases
} from "@petstore/core/runtime"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { OperationId, OperationInput, OperationResult, UseCaseOf } from "../api/operations.ts"
import { type Operation, parameterNames } from "../api/operations.ts"
import type { Session } from "../api/Server.ts"
import { actorOf, type Caller } from "./authentication/authentication.ts"
import type { Arguments } from "./request/argumentReader.ts"
import { sharedStats } from "./sharedStats.ts"

/** The options of a use case that the headers of a request contain. */
interface HeaderOptions {
  readonly idempotencyKey?: string | undefined
  /** The versions in `If-Match`; absent if any version will do. */
  readonly ifVersion?: ReadonlyArray<number> | undefined
  /** The versions in `If-None-Match`. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
}

/** Those of its query, if that is no input. */
interface QueryOptions {
  readonly reserveFor?: number
  readonly include?: "record"
  readonly reason?: string
}

/** Runs one operation, for a caller who waits for it. */
export type Handler = (
  input: Pick<Arguments, "params" | "body">,
  query: unknown,
  options: HeaderOptions,
  caller: Caller,
  asker: Asker
) => Effect.Effect<unknown, PetstoreError>

/** Who a caller is. */
const sessionOf = ({ indexes, search }: Commands["Service"]["shared"], caller: Caller): Session => {
  const { accountId, expiresAt, id, name, scopes } = caller
  return {
    actor: actorOf(caller),
    ...(typeof id === "string" || id === 0 ? {} : { keyId: id }),
    ...(name === undefined ? {} : { name }),
    ...(accountId === 0 ? {} : { accountId }),
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(indexes.size === 0 ? {} : { indexes: [...indexes] }),
    ...(search === undefined ? {} : { search })
  }
}

type Named<Table, Name> = Name extends `${infer Group}.${infer Method}`
  ? Group extends keyof Table
    ? Method extends keyof Table[Group]
      ? Table[Group][Method]
      : never
    : never
  : never

type FieldOf<Name> = Named<typeof methodInputs, Name> extends { readonly field: infer Field } ? Field : never
type Argument<Part, Field> = [Part] extends [never] ? [] : [Field extends keyof Part ? Part[Field] : Part]

type KindOf<Name> = Name extends `records.${string}` ? [kind: RecordKind] : []

type ArgumentsOf<Id extends OperationId, Input extends OperationInput<Id> = OperationInput<Id>> = [
  ...KindOf<UseCaseOf<Id>>,
  ...Argument<Input["params"], keyof Input["params"]>,
  ...(Named<typeof methodInputs, UseCaseOf<Id>> extends { readonly query: unknown }
    ? Argument<Input["query"], never>
    : []),
  ...Argument<Input["body"], FieldOf<UseCaseOf<Id>>>
]

/** What the program of an operation returns: a page for a list, and perhaps the id of what it deletes. */
type Returned<A> = A extends ReadonlyArray<infer Item> ? Page<Item> | A : Promise<A> extends Promise<void> ? unknown : A

/** The use case of an operation, which takes and returns what the operation does. */
type RowOf<Id extends OperationId> = UseCase<
  Extract<UseCaseOf<Id>, MethodName>,
  (
    at: never,
    ...args: [...ArgumentsOf<Id>, options: HeaderOptions & QueryOptions]
  ) =>
    | Generator<unknown, Returned<OperationResult<Id>>, unknown>
    | Effect.Effect<Returned<OperationResult<Id>>, PetstoreError>
>

/** The operations on what works in the background. */
type OtherId =
  | "listEvents"
  | "getLatestEvent"
  | "listConsumers"
  | "getConsumer"
  | "listParkedEvents"
  | "replayParkedEvent"
  | "discardParkedEvent"
  | "getStats"
  | "getStatsHistory"

type Others = {
  readonly [Id in OtherId]: (input: OperationInput<Id>) => Effect.Effect<Returned<OperationResult<Id>>, PetstoreError>
}

const othersOf = (runtime: Context.Context<Runtime>): Others => {
  const { latest, list } = Context.get(runtime, Events)
  const consumers = Context.get(runtime, Consumers)
  const stats = sharedStats(runtime)
  return {
    listEvents: ({ query }) => list(query),
    getLatestEvent: () => Effect.map(latest, (seq) => ({ seq })),
    listConsumers: ({ query }) => consumers.list(query),
    getConsumer: ({ params }) => consumers.get(params.consumerName),
    listParkedEvents: ({ params, query }) => consumers.parked(params.consumerName, query),
    replayParkedEvent: ({ params }) => consumers.replay(params.consumerName, params.seq),
    discardParkedEvent: ({ params }) => consumers.discard(params.consumerName, params.seq),
    getStats: stats.read,
    getStatsHistory: stats.history
  }
}

/** The use case of each operation. */
const useCaseOf = {
  listAccounts: useCases.accounts.list,
  createAccount: useCases.accounts.create,
  getAccount: useCases.accounts.get,
  listApiKeys: useCases.apiKeys.list,
  createApiKey: useCases.apiKeys.create,
  getApiKey: useCases.apiKeys.get,
  revokeApiKey: useCases.apiKeys.revoke,
  rotateApiKey: useCases.apiKeys.rotate,
  listCategories: useCases.categories.list,
  createCategory: useCases.categories.create,
  getCategory: useCases.categories.get,
  updateCategory: useCases.categories.update,
  deleteCategory: useCases.categories.delete,
  listInventory: useCases.inventory.list,
  getInventoryItem: useCases.inventory.get,
  updateInventoryItem: useCases.inventory.set,
  adjustInventory: useCases.inventory.adjust,
  setInventory: useCases.inventory.setAll,
  adjustSeveral: useCases.inventory.adjustAll,
  listMovements: useCases.inventory.movements,
  sendMessage: useCases.messages.enqueue,
  listMessages: useCases.messages.list,
  getMessage: useCases.messages.get,
  requeueMessages: useCases.messages.requeueAll,
  deleteMessage: useCases.messages.delete,
  requeueMessage: useCases.messages.requeue,
  listOrders: useCases.orders.list,
  placeOrder: useCases.orders.place,
  placeOrders: useCases.orders.placeAll,
  getOrder: useCases.orders.get,
  updateOrder: useCases.orders.update,
  cancelOrder: useCases.orders.cancel,
  getReservation: useCases.orders.reservation,
  setReservation: useCases.orders.setReservation,
  removeReservation: useCases.orders.removeReservation,
  listPets: useCases.pets.list,
  createPet: useCases.pets.create,
  createPets: useCases.pets.createAll,
  getPet: useCases.pets.get,
  getPetWithInventory: useCases.pets.getWithInventory,
  updatePet: useCases.pets.update,
  deletePet: useCases.pets.delete,
  listWebhooks: useCases.webhooks.list,
  createWebhook: useCases.webhooks.create,
  getWebhook: useCases.webhooks.get,
  updateWebhook: useCases.webhooks.update,
  deleteWebhook: useCases.webhooks.delete,
  rotateWebhookSecret: useCases.webhooks.rotateSecret,
  testWebhook: useCases.webhooks.test,
  listDeliveries: useCases.webhooks.deliveries,
  redeliver: useCases.webhooks.redeliver,
  listAllDeliveries: useCases.deliveries.list,
  getDelivery: useCases.deliveries.get,
  requeueDeliveries: useCases.deliveries.requeueAll,
  getPetRecord: useCases.records.get,
  updatePetRecord: useCases.records.update,
  findPetRecord: useCases.records.getByExternalId,
  getCategoryRecord: useCases.records.get,
  updateCategoryRecord: useCases.records.update,
  findCategoryRecord: useCases.records.getByExternalId,
  getOrderRecord: useCases.records.get,
  updateOrderRecord: useCases.records.update,
  findOrderRecord: useCases.records.getByExternalId
} satisfies { readonly [Id in Exclude<OperationId, OtherId | "getSession" | "streamEvents">]: RowOf<Id> }

type Fields = Readonly<Record<string, unknown>>

/** All options in one shape, whichever the request has. */
const optionsOf = (
  { idempotencyKey, ifVersion, unlessVersion }: HeaderOptions,
  { include, reason, reserveFor }: QueryOptions = {}
) => ({ idempotencyKey, ifVersion, unlessVersion, include, reason, reserveFor })

/** Finds the handlers of operations: each takes the arguments of its use case from the request. */
export const handlersOf = (runtime: Context.Context<Runtime>, revocation: RevokeOptions) => {
  const { performFor } = Context.get(runtime, UseCaseRunner)
  const others = othersOf(runtime)
  const { shared } = Context.get(runtime, Commands)
  return ({ id, kind, path, useCase: name }: Operation): Handler => {
    if (id === "getSession") return (_, __, ___, caller) => Effect.succeed(sessionOf(shared, caller))
    if (id in others) {
      const other: (input: never) => Effect.Effect<unknown, PetstoreError> = others[id as OtherId]
      // The schemas of the operation have decoded its input.
      return ({ body, params }, query) => traced(name, () => other({ body, params, query } as never))
    }
    const useCase: UseCase = useCaseOf[id as keyof typeof useCaseOf]
    const own = id === "revokeApiKey" ? revocation : undefined
    const { body, field, query } = inputOf(name)
    const [parameter] = parameterNames(path)
    return (input, asked, headers, _caller, asker) => {
      const inputs: Array<unknown> = kind === undefined ? [] : [kind]
      if (parameter !== undefined) inputs.push((input.params as Fields)[parameter])
      if (query !== undefined) inputs.push(asked)
      if (body !== undefined) inputs.push(field === undefined ? input.body : (input.body as Fields)[field])
      const options = query === undefined ? optionsOf(headers, asked as QueryOptions | undefined) : headers
      inputs.push(own === undefined ? options : { ...options, ...own })
      return performFor(asker, useCase, inputs)
    }
  }
}
