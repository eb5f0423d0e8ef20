import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import { createHandler, type HostPrincipal } from "@petstore/http"

const users = new Map<string | null, HostPrincipal>([
  ["session=sara", { actor: "sara", accountId: 1, scopes: ["admin"] }],
  ["session=carl", { actor: "carl", accountId: 2, scopes: ["pets:read"] }]
])

export const petstore = await createPetstore({ storage: sqlite("shop.db") })

export const api = createHandler(petstore, {
  mountPath: "/petstore",
  authenticate: (request: Request) => users.get(request.headers.get("cookie"))
})
