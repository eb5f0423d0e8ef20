import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { populate } from "./sampleStore.ts"
import { type Reply, type Sending, startServer, type TestServer } from "./TestServer.ts"

/** A request that is rejected with status 400. It creates a pet unless it has another method or path. */
export interface BadRequest extends Sending {
  readonly method?: string
  readonly path?: string
  readonly code: string
  /** The paths of the violations. */
  readonly paths?: ReadonlyArray<string>
}

/** The body of a valid request for a new pet. */
export const pet = { name: "Rex", categoryId: 1 }

export const bytes = (text: string, ...more: ReadonlyArray<number>): Uint8Array<ArrayBuffer> =>
  new Uint8Array([...new TextEncoder().encode(text), ...more])

/** The paths of the violations in a response. */
export const pathsOf = ({ body }: Reply): ReadonlyArray<string> =>
  ((body as { readonly violations?: ReadonlyArray<{ readonly path: string }> }).violations ?? []).map(
    ({ path }) => path
  )

/** All resources, to see that nothing has changed. */
const everything = ({ send }: TestServer) =>
  Effect.forEach(
    ["/v1/pets", "/v1/categories", "/v1/inventory", "/v1/store/orders", "/v1/messages", "/v1/accounts", "/v1/api-keys"],
    (path) => Effect.map(send("GET", `${path}?limit=100`), ({ text }) => text)
  )

/** Defines a test that each request is rejected with its code, and changes nothing. */
export const testBadRequests = (requests: Readonly<Record<string, BadRequest>>): void => {
  it.effect("given each of these, then it is rejected with its code, and nothing has changed", () =>
    Effect.gen(function* () {
      const server = yield* startServer()
      yield* populate(server)
      const before = yield* everything(server)
      for (const [name, { code, method = "POST", path = "/v1/pets", paths = [], ...sending }] of Object.entries(
        requests
      )) {
        const reply = yield* server.send(method, path, sending)
        assert.strictEqual(reply.status, 400, `${name}: ${reply.text}`)
        assert.deepInclude(reply.body, { code, status: 400 }, name)
        assert.sameMembers([...pathsOf(reply)], [...paths], `${name}: ${reply.text}`)
        assert.deepStrictEqual(yield* everything(server), before, name)
      }
    })
  )
}
