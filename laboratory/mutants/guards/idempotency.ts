import { allPackages, type Subject } from "./Subject.ts"

const core = "packages/core/src"
const server = "packages/http/src/server"
const idempotencyOf = `${core}/programs/idempotency/once.ts`

export const idempotency: Subject = {
  name: "idempotency",
  suite: {
    tests: [
      `${core}/programs/idempotency/once.test.ts`,
      `${core}/petstore/petstore.contract.test.ts`,
      `${server}/routes/idempotency.int.test.ts`,
      "packages/adapters/src/postgres/clocks.int.test.ts"
    ],
    names:
      "given a key that was used|given calls with keys|idempotency|an Idempotency-Key|of which one has a clock eight days ahead",
    packages: allPackages
  },
  guards: [
    [idempotencyOf, "storedKeyOf({ accountId, key: ownKey })", "storedKeyOf({ accountId: 0, key: ownKey })"],
    [idempotencyOf, `\`\${operation} \${canonical(input)}\``, "canonical(input)"],
    [idempotencyOf, "  ifVersion: versionsOf(options?.ifVersion),\n", ""],
    [idempotencyOf, ",\n  unlessVersion: versionsOf(options?.unlessVersion)", ""],
    [`${core}/programs/pets/Pets.ts`, '{ ...input, status: input.status ?? "available" }', "input"],
    [`${core}/programs/orders/Orders.ts`, "() => ({ ...meaningOf(input), reserveFor", "() => ({ ...input, reserveFor"],
    [
      `${server}/routes/operationRoute.ts`,
      '  if (use === "rejected") return InvalidIdempotencyKey.ofOperation()\n',
      ""
    ],
    [`${server}/routes/operationRoute.ts`, '  if (use === "ignored") return undefined\n', ""],
    [`${server}/response/successResponse.ts`, '["Idempotent-Replayed", "true"]', "[]"]
  ]
}
