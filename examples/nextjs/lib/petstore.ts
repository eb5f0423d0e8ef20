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
    console: true,
    authenticate: (request: Request) => users.get(request.headers.get("cookie"))
  })
  const close = async () => {
    await api.close()
    await petstore.close()
  }
  return { api, petstore, close }
}

type Shop = Awaited<ReturnType<typeof open>>

// Next.js puts a copy of this module into each of its bundles. All share this object.
const shared: typeof globalThis & { shop?: Promise<Shop> } = globalThis

/** Returns the latest shop, and opens one after a failure. Call it in each request. */
export const shop = (): Promise<Shop> => {
  shared.shop = shared.shop?.catch(open) ?? open()
  return shared.shop
}

// `next dev` loads this module again after each edit.
if (process.env.NODE_ENV === "development" && shared.shop !== undefined) {
  shared.shop = shared.shop.then(({ close }) => close()).then(open, open)
  // If that fails, the next call of `shop` opens it and says why.
  shared.shop.catch(() => {})
}
