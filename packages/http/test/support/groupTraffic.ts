import { assert } from "@effect/vitest"
import { createClient } from "@petstore/http/client"
import * as Effect from "effect/Effect"
import { groupAdminKey, type ServerGroup } from "./ServerGroup.ts"
import { type Definite, sendSteadily } from "./steadyRequest.ts"

/** The id in a response. */
export const idOf = ({ body }: Definite): number => {
  if (typeof body === "object" && body !== null && "id" in body && typeof body.id === "number") return body.id
  throw new Error(`It has no id: ${JSON.stringify(body)}`)
}

/** Sends requests to one server, or to the common address, until each has a definite response. */
export const requester =
  ({ url }: { readonly url: string }, key = groupAdminKey) =>
  (method: string, path: string, body?: unknown, idempotencyKey?: string): Effect.Effect<Definite> =>
    sendSteadily({
      method,
      url: url + path,
      key,
      ...(body === undefined ? {} : { body }),
      ...(idempotencyKey === undefined ? {} : { idempotencyKey })
    })

/** Creates a pet with so many units, in a category of its own. */
export const stocked = (group: { readonly url: string }, name: string, quantity: number) =>
  Effect.gen(function* () {
    const send = requester(group)
    const categoryId = idOf(yield* send("POST", "/categories", { name }, `category-${name}`))
    const pet = idOf(yield* send("POST", "/pets", { name, categoryId }, `pet-${name}`))
    assert.strictEqual((yield* send("PATCH", `/inventory/${pet}`, { quantity })).status, 200)
    return pet
  })

/** The ids of all open orders, or of those for a pet. */
export const orderIds = ({ url }: { readonly url: string }, petId?: number): Effect.Effect<ReadonlyArray<number>> =>
  Effect.promise(async () => {
    const { orders } = createClient({ baseUrl: url, key: groupAdminKey })
    const ids: Array<number> = []
    for await (const { id } of orders.all(petId === undefined ? {} : { petId })) ids.push(id)
    return ids
  })

/** Checks that `petstore verify` finds no broken invariant. */
export const verified = (group: ServerGroup): Effect.Effect<void> =>
  Effect.map(group.run("verify"), ({ code, out }) => assert.strictEqual(code, 0, out))
