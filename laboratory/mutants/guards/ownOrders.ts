import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const http = "packages/http/src"
const scopes = `${http}/api/requiredScopes.ts`
const route = `${http}/server/routes/operationRoute.ts`

export const ownOrders: Subject = {
  name: "own orders",
  suite: {
    tests: [
      `${core}/petstore/{PetstoreUser,petstore.contract}.test.ts`,
      `${core}/programs/events/EventTail.test.ts`,
      `${http}/server/authentication/ownOrders.int.test.ts`
    ],
    names: "petstore.as|own orders|customers with|given followers of the orders of one owner",
    packages: allPackages
  },
  guards: [
    [`${core}/domain/events/EventFilter.ts`, "owner ?? null", "null"],
    [
      `${core}/programs/orders/Orders.ts`,
      "{ ...filters, owner: visibleOwner(principal) }",
      "{ ...filters, owner: undefined }"
    ],
    [`${core}/programs/orders/Orders.ts`, "  owner: visibleOwner(call.principal)\n", ""],
    [`${core}/runtime/events/Events.ts`, "{ ...filter, ...visible }", "filter"],
    [`${core}/runtime/events/Events.ts`, "visibleEvents(principal),", "{},"],
    [scopes, "  !scopes.every((scope) => allows(held, scope)) &&\n", ""],
    [scopes, "if (ownScope !== undefined && isOwnOnly(needs, held)) return [ownScope]", ""],
    [
      scopes,
      'allOrdersScope !== undefined && held.includes("orders:own") ? [...scopes, allOrdersScope] : scopes',
      "scopes"
    ],
    [route, "ownOnly: isOwnOnly(operation, caller.scopes)", "ownOnly: false"],
    [
      route,
      "if (!this.isCommand && principal.ownOnly !== true) return undefined",
      "if (!this.isCommand) return undefined"
    ]
  ]
}
