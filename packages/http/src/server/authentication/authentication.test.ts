import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { untyped } from "../../../../core/testing/src/untyped.ts"
import { authentication } from "./authentication.ts"

const user = { actor: "user:7", scopes: ["pets:read"] }

const faults: ReadonlyArray<readonly [returned: unknown, message: string]> = [
  ["clerk", 'the user as { actor, scopes }, or undefined or null if nobody is signed in, not "clerk"'],
  [false, "if nobody is signed in, not false"],
  [[user], "if nobody is signed in, not an array"],
  [new Response(), 'a text of 1 to 200 characters, such as "user:7", not undefined'],
  [{ ...user, actor: 7 }, 'a text of 1 to 200 characters, such as "user:7", not 7'],
  [{ ...user, actor: "" }, 'such as "user:7", not ""'],
  [
    { user: "user:7", scopes: ["pets:read"] },
    'such as { actor: "user:7", scopes: presets.customer }, not an object with user'
  ],
  [{ principal: user }, "not an object with principal and no actor"],
  [{ actor: "user:7" }, 'an array, such as presets.customer or ["pets:read"], not undefined'],
  [{ ...user, scopes: "pets:read" }, 'not "pets:read"'],
  [{ ...user, scopes: new Set(user.scopes) }, "not a Set"],
  [{ ...user, scopes: ["pets:read", "pet:write"] }, 'must be known scopes, not "pet:write"; did you mean pets:write?'],
  [{ ...user, scopes: ["everything"] }, 'not "everything"; these are pets:read, pets:write, '],
  [{ ...user, scopes: [undefined] }, "not undefined; these are pets:read"],
  [{ ...user, scopes: ["customer"] }, "did you mean presets.customer, all of whose scopes are in an array?"],
  [{ ...user, accountId: "7" }, 'a whole number of 0 or more, or absent, not "7"'],
  [{ ...user, accountId: 0.5 }, "or absent, not 0.5"]
]

describe("given that authenticate returns what is no user", () => {
  for (const [returned, message] of faults) {
    it.effect(`then the error names what is wrong with ${JSON.stringify(returned)}`, () =>
      Effect.gen(function* () {
        for (const authenticate of [() => returned, async () => returned]) {
          const identify = authentication(untyped({}), untyped({ authenticate }))
          const exit = yield* Effect.exit(identify(untyped({ request: {} })))
          const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
          assert.instanceOf(error, TypeError)
          assert.include(String(error), message)
        }
      })
    )
  }
})
