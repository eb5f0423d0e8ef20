import * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import { AccountsGroup } from "./Accounts.ts"
import { ApiKeysGroup } from "./ApiKeys.ts"
import { CategoriesGroup } from "./Categories.ts"
import { ConsumersGroup } from "./Consumers.ts"
import { EventsGroup } from "./Events.ts"
import { InventoryGroup } from "./Inventory.ts"
import { MessagesGroup } from "./Messages.ts"
import { OrdersGroup } from "./Orders.ts"
import { PetsGroup } from "./Pets.ts"
import { CatalogueRecordsGroup, OrderRecordsGroup } from "./Records.ts"
import { ServerGroup } from "./Server.ts"
import { WebhooksGroup } from "./Webhooks.ts"

/** The contract of the REST API: every operation, relative to the base path. */
export class PetstoreHttpApi extends HttpApi.make("petstore").add(
  CategoriesGroup,
  PetsGroup,
  InventoryGroup,
  OrdersGroup,
  CatalogueRecordsGroup,
  OrderRecordsGroup,
  MessagesGroup,
  EventsGroup,
  ConsumersGroup,
  AccountsGroup,
  ApiKeysGroup,
  WebhooksGroup,
  ServerGroup
) {}

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never
type Endpoint = HttpApiGroup.Endpoints<GroupsOf<typeof PetstoreHttpApi>>
export type EndpointOf<Id extends OperationId> = Extract<Endpoint, { readonly identifier: Id }>

/** The name of an operation. */
export type OperationId = Endpoint["identifier"]

/** The decoded input of an operation; `never` for a part that it does not take. */
export interface OperationInput<Id extends OperationId> {
  readonly params: HttpApiEndpoint.Params<EndpointOf<Id>>["Type"]
  readonly query: HttpApiEndpoint.Query<EndpointOf<Id>>["Type"]
  readonly body: HttpApiEndpoint.Payload<EndpointOf<Id>>["Type"]
}

/** What an operation returns. */
export type OperationResult<Id extends OperationId> = HttpApiEndpoint.Success<EndpointOf<Id>>["Type"]

/** The name of the use case that carries an operation out. */
export type UseCaseOf<Id extends OperationId> = NonNullable<EndpointOf<Id>["~useCase"]>
