import { type ChildProcess, spawn } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { catalogue, type ErrorCode } from "@petstore/core/domain"
import { createClient } from "@petstore/http/client"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { freePort } from "../../../adapters/test/support/freePort.ts"
import type { OperationId } from "../api/operations.ts"
import { operationDocs } from "../openapi/operationDocs.ts"

const root = fileURLToPath(new URL("../../../../", import.meta.url))
const prism = `${root}tools/node_modules/@stoplight/prism-cli/dist/index.js`
const isInstalled = existsSync(prism)
const skipped = isInstalled ? "" : " (skipped: the mock server is not installed: npm ci --prefix tools)"

const listening = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    let said = ""
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      said += text
      if (said.includes("Prism is listening")) resolve()
    })
    child.once("close", () => reject(new Error(`The mock server ended: ${said}`)))
  })

/** Serves examples of the accepted document until the scope closes. */
const mockServer: Effect.Effect<string, never, Scope.Scope> = Effect.gen(function* () {
  const port = yield* Effect.promise(freePort)
  const args = [prism, "mock", "-h", "127.0.0.1", "-p", String(port), "packages/http/openapi/petstore.yaml"]
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => spawn(process.execPath, args, { cwd: root, stdio: ["ignore", "pipe", "inherit"] })),
    (started) => Effect.sync(() => started.kill("SIGKILL"))
  )
  yield* Effect.promise(() => listening(child))
  return `http://127.0.0.1:${port}`
})

const example = (id: OperationId): unknown => operationDocs[id].response

const refusals: ReadonlyArray<readonly [status: number, code: ErrorCode]> = [
  [409, "insufficient_stock"],
  [404, "not_found"],
  [412, "precondition_failed"]
]

describe.skipIf(!isInstalled)(`a server that others make from the accepted document${skipped}`, () => {
  it.live("given its examples, when the client asks, then it decodes every response", () =>
    Effect.gen(function* () {
      const baseUrl = yield* mockServer
      const petstore = createClient({ baseUrl, key: "any", retries: 0 })
      const { accounts, apiKeys, categories, inventory, messages, orders, pets } = petstore
      const calls: { readonly [Id in OperationId]?: () => Promise<unknown> } = {
        listPets: async () => (await pets.list({ status: "available", limit: 2 })).items,
        createPet: () => pets.create({ name: "Rex", categoryId: 3 }),
        getPet: () => pets.get(7),
        getPetWithInventory: () => pets.getWithInventory(7),
        updatePet: () => pets.update(7, { name: "Rexy" }),
        deletePet: () => pets.delete(7),
        listCategories: async () => (await categories.list()).items,
        createCategory: () => categories.create({ name: "Dogs" }),
        updateCategory: () => categories.update(3, { description: null }),
        getInventoryItem: () => inventory.get(7),
        listMovements: async () => (await inventory.movements(7)).items,
        placeOrder: () => orders.place({ petId: 7, quantity: 2 }),
        updateOrder: () => orders.update(12, { complete: true }),
        cancelOrder: () => orders.cancel(12),
        sendMessage: () => messages.enqueue("Rex is ready to be picked up."),
        createAccount: () => accounts.create({ name: "Corner shop" }),
        getApiKey: () => apiKeys.get(5),
        revokeApiKey: () => apiKeys.revoke(5)
      }
      for (const [id, call] of Object.entries(calls) as ReadonlyArray<[OperationId, () => Promise<unknown>]>) {
        const result = yield* Effect.promise(call)
        const expected = example(id)
        if (expected === undefined) assert.isUndefined(result, id)
        // The client adds the version that it reads from the entity tag.
        else assert.containSubset(result, expected, id)
      }

      for (const [status, code] of refusals) {
        const refused = createClient({
          baseUrl,
          key: "any",
          retries: 0,
          fetch: (url, init) =>
            fetch(url, {
              ...init,
              headers: { ...Object.fromEntries(new Headers(init.headers)), prefer: `code=${status}, example=${code}` }
            })
        })
        const failure = yield* Effect.flip(
          Effect.tryPromise({ try: () => refused.orders.update(12, { quantity: 9 }), catch: (cause) => cause })
        )
        assert.strictEqual(failure instanceof catalogue[code], true, String(failure))
      }
    })
  )
})
