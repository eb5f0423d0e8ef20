import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"

const users = new Map<string | null, HostPrincipal>([
  ["session=sara", { actor: "sara", accountId: 1, scopes: ["admin"] }],
  ["session=carl", { actor: "carl", accountId: 2, scopes: ["pets:read"] }]
])

const open = async () => {
  const petstore = await createPetstore({ storage: sqlite("shop.db") })
  const api = createHandler(petstore, {
    mountPath: "/petstore",
    authenticate: (request: Request) => users.get(request.headers.get("cookie"))
  })
  const close = async () => {
    await api.close()
    await petstore.close()
  }
  return { petstore, api, close }
}

// `next dev` loads this module again after an edit: without this, the former petstore would stay open, with its consumers.
const shared: typeof globalThis & { shop?: Promise<Awaited<ReturnType<typeof open>>> } = globalThis
const former = shared.shop
shared.shop = Promise.resolve(former?.then(({ close }) => close())).then(open)

export const { petstore, api } = await shared.shop
