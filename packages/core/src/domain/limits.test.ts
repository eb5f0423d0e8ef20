import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import type * as Schema from "effect/Schema"
import * as domain from "./index.ts"

const text = (length: number): string => "🐶".repeat(length)
const ids = (count: number): ReadonlyArray<number> => Array.from({ length: count }, (_, index) => index + 1)

interface Limit {
  readonly schema: Schema.ConstraintDecoder<unknown>
  readonly path: string
  /** The input with this much of what is limited. */
  readonly of: (amount: number) => unknown
  readonly from: number
  readonly to: number
}

const limits: { readonly [what: string]: Limit } = {
  "the name of a pet": { schema: domain.PetName, path: "", of: text, from: 1, to: 200 },
  "the beginning of a name in a filter": {
    schema: domain.PetFilter,
    path: "/name",
    of: (length) => ({ name: text(length) }),
    from: 1,
    to: 200
  },
  "the name of a category": { schema: domain.CategoryName, path: "", of: text, from: 1, to: 100 },
  "the description of a category": { schema: domain.CategoryDescription, path: "", of: text, from: 0, to: 1_000 },
  "a message": {
    schema: domain.NewMessage,
    path: "/message",
    of: (length) => ({ message: text(length) }),
    from: 1,
    to: 16_384
  },
  "the name of an account": {
    schema: domain.NewAccount,
    path: "/name",
    of: (length) => ({ name: text(length) }),
    from: 1,
    to: 100
  },
  "the name of a key": {
    schema: domain.NewApiKey,
    path: "/name",
    of: (length) => ({ accountId: 1, name: text(length), preset: "read" }),
    from: 1,
    to: 100
  },
  "an identifier": { schema: domain.Id, path: "", of: Number, from: 1, to: 2 ** 53 - 1 },
  "the units of an order": { schema: domain.OrderQuantity, path: "", of: Number, from: 1, to: 1_000_000 },
  "the units in stock": { schema: domain.StockQuantity, path: "", of: Number, from: 0, to: 2_147_483_647 },
  "the size of a page": {
    schema: domain.PageQuery,
    path: "/limit",
    of: (limit) => ({ limit }),
    from: 1,
    to: 100
  },
  "the pets that one list names": {
    schema: domain.PetFilter,
    path: "/id",
    of: (count) => ({ id: ids(count) }),
    from: 1,
    to: 100
  },
  "the grace of a rotation, in seconds": {
    schema: domain.ApiKeyRotation,
    path: "/graceSeconds",
    of: (graceSeconds) => ({ graceSeconds }),
    from: 0,
    to: 604_800
  }
}

for (const [what, { from, of, path, schema, to }] of Object.entries(limits)) {
  const validate = domain.validator(schema)
  describe(what, () => {
    for (const amount of [from, to]) {
      it(`given ${amount}, then it is taken`, () => {
        assert.isTrue(Result.isSuccess(validate("/body", of(amount))))
      })
    }
    // Nothing is shorter than an empty text.
    for (const amount of [from - 1, to + 1].filter((one) => one >= 0 || typeof of(0) !== "string")) {
      it(`given ${amount}, then it is rejected`, () => {
        const validated = validate("/body", of(amount))
        if (Result.isSuccess(validated)) return assert.fail("it was taken")
        assert.deepStrictEqual(
          validated.failure.map((violation) => violation.path),
          [`/body${path}`]
        )
      })
    }
  })
}
