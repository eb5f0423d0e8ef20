import type * as HttpApi from "effect/http-api/HttpApi"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import type { PetstoreHttpApi } from "./PetstoreHttpApi.ts"

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never
type Endpoint = HttpApiGroup.Endpoints<GroupsOf<typeof PetstoreHttpApi>>
type EndpointOf<Id extends OperationId> = Extract<Endpoint, { readonly identifier: Id }>

/** The name of an operation. */
export type OperationId = Endpoint["identifier"]

/** What an operation is asked, decoded; `never` for a part that it does not take. */
export interface OperationInput<Id extends OperationId> {
  readonly params: HttpApiEndpoint.Params<EndpointOf<Id>>["Type"]
  readonly query: HttpApiEndpoint.Query<EndpointOf<Id>>["Type"]
  readonly body: HttpApiEndpoint.Payload<EndpointOf<Id>>["Type"]
}

/** What an operation answers. */
export type OperationAnswer<Id extends OperationId> = HttpApiEndpoint.Success<EndpointOf<Id>>["Type"]
