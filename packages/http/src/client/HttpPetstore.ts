import { effectEvents } from "@petstore/core/remote"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { type ClientOptions, settingsOf } from "./ClientOptions.ts"
import { remoteEvents } from "./events/remoteEvents.ts"
import { caller } from "./operationCaller.ts"
import { type RemoteMethods, remoteConsumers, remoteMethods, serverReads } from "./remoteMethods.ts"

/**
 * A remote petstore for users of Effect: the methods of `Petstore` in `@petstore/core/effect` that its REST API offers.
 * Requests are retried if that is safe.
 *
 * @example
 * ```ts
 * import { HttpPetstore } from "@petstore/http/client"
 * import { Effect, Stream } from "effect"
 *
 * const names = Effect.gen(function* () {
 *   const petstore = yield* HttpPetstore
 *   return yield* Stream.runCollect(Stream.map(petstore.pets.all({ status: "available" }), (pet) => pet.name))
 * })
 *
 * const program = names.pipe(
 *   Effect.catchTag("RateLimited", ({ details }) => Effect.fail(`try again in ${details.retryAfterSeconds} s`)),
 *   Effect.provide(HttpPetstore.layer({ baseUrl: "https://pets.example/v1", key: "psk_..." }))
 * )
 * ```
 */
export class HttpPetstore extends Context.Service<HttpPetstore, RemoteMethods>()("@petstore/http/client/HttpPetstore") {
  static readonly layer = (options: ClientOptions): Layer.Layer<HttpPetstore> =>
    Layer.sync(HttpPetstore, () => {
      const settings = settingsOf(options)
      const call = caller(settings)
      const events = { ...effectEvents(remoteEvents(call, settings)), consumers: remoteConsumers(call) }
      return { ...remoteMethods(call), ...serverReads(call), events }
    })
}
