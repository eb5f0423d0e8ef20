import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import { newApiKey } from "../../../testing/src/arbitraries.ts"
import { validator } from "../validate.ts"
import { NewApiKey, scopesOf, successorNeededAt } from "./ApiKey.ts"
import { presets, Scope } from "./Scope.ts"

const validate = validator(NewApiKey)
const key = { accountId: 1, name: "till" }

describe("the input of a key", () => {
  const refused: { readonly [reason: string]: readonly [object, string, string] } = {
    "neither scopes nor a preset": [key, "/body", "Expected either scopes or a preset"],
    "both scopes and a preset": [
      { ...key, scopes: ["admin"], preset: "read" },
      "/body",
      "Expected either scopes or a preset"
    ],
    "no scope": [{ ...key, scopes: [] }, "/body/scopes", "Expected at least one scope"],
    "a scope twice": [{ ...key, scopes: ["admin", "admin"] }, "/body/scopes", "Expected each scope once"],
    "scopes that are no array": [{ ...key, scopes: "admin" }, "/body/scopes", 'Expected an array, not "admin"'],
    "a time that is none": [
      { ...key, preset: "read", expiresAt: "tomorrow" },
      "/body/expiresAt",
      'Expected an RFC 3339 date-time with an offset, such as 2026-05-04T09:30:00Z, not "tomorrow"'
    ]
  }
  for (const [reason, [input, path, message]] of Object.entries(refused)) {
    it(`given ${reason}, then it is rejected`, () => {
      assert.deepStrictEqual(validate("/body", input), Result.fail([{ path, message }]))
    })
  }

  it("given scopes that do not exist, then each is named with its place", () => {
    const validated = Result.flip(validate("/body", { ...key, scopes: ["pets:read", "pets:eat", 1] }))
    if (Result.isFailure(validated)) return assert.fail("it was taken")
    assert.deepStrictEqual(
      validated.success.map(({ path }) => path),
      ["/body/scopes/1", "/body/scopes/2"]
    )
  })
})

describe("the scopes of a key", () => {
  it("are those of its preset", () => {
    for (const [preset, expected] of Object.entries(presets)) {
      assert.sameMembers([...scopesOf({ preset: preset as keyof typeof presets })], [...expected])
    }
  })

  it.prop("are those asked for, each once, in the order of the list of scopes", { input: newApiKey }, ({ input }) => {
    const asked = input.preset === undefined ? (input.scopes ?? []) : presets[input.preset]
    const found = scopesOf(input)
    assert.sameMembers([...found], [...new Set(asked)])
    assert.deepStrictEqual(
      found,
      Scope.literals.filter((one) => found.includes(one))
    )
  })
})

describe("the successor that an admin key needs before it is revoked", () => {
  const now = "2026-05-04T00:00:00.000Z"
  const inAWeek = "2026-05-11T00:00:00.000Z"
  const neededFor = (expiresAt?: string) =>
    successorNeededAt({ scopes: ["pets:read", "admin"], ...(expiresAt === undefined ? {} : { expiresAt }) }, now)

  it("given a key without an end, then another must work in 7 days", () => {
    assert.strictEqual(neededFor(), inAWeek)
  })

  it("given a key that ends later than that, then another must work in 7 days", () => {
    assert.strictEqual(neededFor("2030-01-01T00:00:00.000Z"), inAWeek)
    assert.strictEqual(neededFor("2026-05-11T00:00:00.001Z"), inAWeek)
  })

  it("given a key that ends sooner, then another must work until its last moment", () => {
    assert.strictEqual(neededFor(inAWeek), "2026-05-10T23:59:59.999Z")
    assert.strictEqual(neededFor("2026-05-04T00:00:00.001Z"), now)
  })

  it("given a key that has expired, then none is needed", () => {
    assert.isUndefined(neededFor(now))
    assert.isUndefined(neededFor("2026-05-03T00:00:00.000Z"))
  })

  it("given a key that is no admin key, then none is needed", () => {
    assert.isUndefined(successorNeededAt({ scopes: presets.write }, now))
  })
})
