import { createPetstore, type PetstoreOptions } from "@petstore/core"
import { createHandler, type HandlerOptions } from "@petstore/http"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { type Reply, type Sending, sendTo } from "./TestServer.ts"
import { follow } from "./transcript.ts"

/** The admin key of the handlers below. */
export const adminKey = "test-admin-key-0123456789"

/** A petstore in memory and its handler, until the scope closes. */
export const opened = (options: HandlerOptions = {}, petstoreOptions?: PetstoreOptions) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => createPetstore(petstoreOptions)),
      (petstore) => Effect.promise(() => petstore.close())
    ),
    (petstore) => ({
      petstore,
      handler: createHandler(petstore, {
        ...(options.authenticate === undefined ? { adminKey: Redacted.make(adminKey) } : {}),
        ...options
      })
    })
  )

/** Sends a request to a path of a server. */
export type Send = (method: string, path: string, sending?: Sending) => Effect.Effect<Reply>

/** Over the network. */
export const sendingTo =
  (url: string): Send =>
  (method, path, sending = {}) =>
    sendTo(url + path, method, { key: adminKey, ...sending })

/** To a function from Request to Response. */
export const sendingBy =
  (respond: (request: Request) => Response | Promise<Response>): Send =>
  (method, path, { body, headers = {}, key = adminKey, raw } = {}) =>
    Effect.promise(async () => {
      const content = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const response = await respond(
        new Request(`https://shop.example${path}`, {
          method,
          headers: {
            authorization: `Bearer ${key}`,
            ...(content === undefined ? {} : { "content-type": "application/json" }),
            ...headers
          },
          ...(content === undefined ? {} : { body: content })
        })
      )
      const text = await response.text()
      const json = response.headers.get("content-type")?.startsWith("application/json")
      return {
        status: response.status,
        headers: response.headers,
        text,
        body: json && text !== "" ? JSON.parse(text) : undefined
      }
    })

/** Checks a mount at `/petstore`, in any framework. */
export const worksAtPetstore = (send: Send) =>
  follow(
    send,
    `POST /petstore/v1/categories {"name":"Kätzchen"} -> 201 [location: /petstore/v1/categories/1] is {"id":1,"name":"Kätzchen"}
     POST /petstore/v1/categories {"name":"Dogs"} -> 201
     GET /petstore/v1/categories?limit=1 -> 200 [link~</petstore/v1/categories?] [link -> next]
     GET {next} -> 200 is [{"id":2,"name":"Dogs"}]
     GET /petstore/openapi.json -> 200 {"servers":[{"url":"/petstore/v1"}]}
     POST /petstore/v1/categories {"name":1} -> 400 {"code":"validation_failed"}
     PUT /petstore/v1/categories/1 {} -> 405
     DELETE /petstore/v1/categories/1 -> 204
     GET /petstore/v1/categories/1 -> 404 {"code":"not_found"}
     GET /petstore/nothing -> 404 {"code":"not_found"}
     GET /petstore/v1/pets [key: x] -> 401 {"code":"invalid_api_key"}`
  )
