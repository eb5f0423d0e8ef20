import { inspect } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import { formatToken, secretFromBytes } from "../../domain/access/ApiKeyToken.ts"
import { portableHasher } from "../../runtime/portableHasher.ts"
import { VerifiedTokens } from "./ApiKeys.ts"

const aSecret = (seed: number): string => secretFromBytes(new Uint8Array(32).fill(seed))
const digest = new Uint8Array(32)

describe("given a token that was accepted", () => {
  const secret = aSecret(7)
  const token = formatToken(12, secret)
  const remembering = () => {
    const tokens = new VerifiedTokens(portableHasher)
    tokens.add(token, { id: 12, digest })
    return tokens
  }

  it("when it is sent again, then it is known", () => {
    assert.deepStrictEqual(remembering().find(token), { id: 12, digest })
  })

  it("when another token is sent, then it is not known", () => {
    const tokens = remembering()
    for (let place = 0; place < token.length; place++) {
      const changed = token[place] === "x" ? "y" : "x"
      assert.isUndefined(tokens.find(token.slice(0, place) + changed + token.slice(place + 1)))
    }
    assert.isUndefined(tokens.find(""))
  })

  it("when memory is inspected, then it contains neither the token nor its secret", () => {
    const shown = inspect(remembering(), { depth: null, showHidden: true, maxStringLength: null })
    assert.include(shown, "byFingerprint")
    assert.notInclude(shown, secret)
    assert.notInclude(shown, secret.slice(0, 8))
  })

  it("when it is deleted, then it is not known", () => {
    const tokens = remembering()
    tokens.delete(token)
    assert.isUndefined(tokens.find(token))
  })
})

describe("given more tokens than are remembered", () => {
  it("when they are accepted, then the oldest are forgotten", () => {
    const tokens = new VerifiedTokens(portableHasher)
    for (let id = 1; id <= 1_100; id++) tokens.add(`token ${id}`, { id, digest })
    assert.strictEqual(tokens.size, 1_000)
    assert.isUndefined(tokens.find("token 100"))
    assert.strictEqual(tokens.find("token 101")?.id, 101)
    assert.strictEqual(tokens.find("token 1100")?.id, 1_100)
  })
})
