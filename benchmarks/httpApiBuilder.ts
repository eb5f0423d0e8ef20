// The operations on pets, from the same contract and use cases, on the HTTP server that comes with Effect.

import type { RequestListener } from "node:http"
import { NodeHttpServer } from "@effect/platform-node"
import { Unauthenticated } from "@petstore/core/domain"
import { ApiKeys, type Engine, Journal, Pets } from "@petstore/core/services"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpEffect from "effect/http/HttpEffect"
import * as HttpRouter from "effect/http/HttpRouter"
import * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiBuilder from "effect/http-api/HttpApiBuilder"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { getPet, getPetWithInventory } from "../packages/http/src/api/Pets.ts"

class PetsGroup extends HttpApiGroup.make("pets").add(getPet, getPetWithInventory) {}
class PetsApi extends HttpApi.make("petstore").add(PetsGroup).prefix("/v1") {}

/** Authenticates, and sets the headers that the petstore's own server sends with a pet. */
const guarded = <A extends { readonly version: number }, E, R>(operation: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const apiKeys = yield* ApiKeys
    const journal = yield* Journal
    const request = yield* HttpServerRequest.HttpServerRequest
    const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(request.headers.authorization ?? "")?.[1]
    if (token === undefined) return yield* Effect.fail(new Unauthenticated({}))
    const { scopes } = yield* apiKeys.authenticate(token)
    if (!scopes.includes("pets:read") && !scopes.includes("admin")) return yield* Effect.fail(new Unauthenticated({}))
    const found = yield* operation
    const requestId = yield* journal.nextId("req")
    yield* HttpEffect.appendPreResponseHandler((_, response) =>
      Effect.succeed(
        HttpServerResponse.setHeaders(response, {
          etag: `"v${found.version}"`,
          deprecation: "@1796428800",
          sunset: "Thu, 05 Dec 2030 00:00:00 GMT",
          link: `</docs>; rel="deprecation"`,
          "x-request-id": requestId
        })
      )
    )
    return found
  }).pipe(Effect.orDie)

const handlers = HttpApiBuilder.group(
  PetsApi,
  "pets",
  Effect.fn(function* (handlers) {
    const pets = yield* Pets
    return handlers.handleAll({
      getPet: ({ params }) => guarded(pets.get(params.petId)),
      getPetWithInventory: ({ params }) => guarded(pets.getWithInventory(params.petId))
    })
  })
)

/** A listener for node:http; it works for as long as the process does. */
export const httpApiBuilder = (engine: Context.Context<Engine>): Promise<RequestListener> =>
  Effect.runPromise(
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const routes = HttpApiBuilder.layer(PetsApi).pipe(Layer.provide(handlers))
      const app = yield* HttpRouter.toHttpEffect(routes).pipe(Effect.provideService(Scope.Scope, scope))
      return yield* NodeHttpServer.makeHandler(app, { scope })
    }).pipe(Effect.provide(NodeHttpServer.layerHttpServices), Effect.provideContext(engine))
  )
