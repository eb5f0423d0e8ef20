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
  return { api, petstore }
}

// `next dev` loads this module again after each edit. All copies of it share this object.
const shared: typeof globalThis & { shop?: ReturnType<typeof open> } = globalThis
shared.shop ??= open()

export const { api, petstore } = await shared.shop
