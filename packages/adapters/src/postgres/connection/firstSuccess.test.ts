import { assert, describe, it } from "@effect/vitest"
import { firstSuccess } from "./firstSuccess.ts"

const never = () => new Promise<string>(() => {})
const fails = (message: string) => () => Promise.reject(new Error(message))
const succeeds = (name: string) => () => Promise.resolve(name)
const discardNone = (late: string) => assert.fail(`${late} was discarded`)

describe("firstSuccess", () => {
  it("given a preferred attempt that succeeds, the others are not made", async () => {
    const unmade = () => assert.fail("an attempt that is not needed")
    assert.deepStrictEqual(await firstSuccess([unmade, succeeds("two"), unmade], 1, discardNone), {
      index: 1,
      result: "two"
    })
  })

  it("given a preferred attempt that fails, the first success of the others is the result", async () => {
    const found = await firstSuccess([fails("refused"), never, succeeds("three")], 0, discardNone)
    assert.deepStrictEqual(found, { index: 2, result: "three" })
  })

  it("given a preferred attempt that hangs, it is not waited for", async () => {
    const found = await firstSuccess([never, fails("a standby"), succeeds("three")], 0, discardNone)
    assert.deepStrictEqual(found, { index: 2, result: "three" })
  })

  it("given attempts that all fail, the failure has every cause", async () => {
    const error = await firstSuccess([fails("one"), fails("two")], 1, discardNone).catch((cause: unknown) => cause)
    assert.instanceOf(error, AggregateError)
    assert.sameMembers(
      error.errors.map(({ message }: Error) => message),
      ["one", "two"]
    )
  })

  it("given a second success, it is discarded", async () => {
    const discarded: Array<string> = []
    const { promise, resolve } = Promise.withResolvers<string>()
    const found = firstSuccess([() => promise, succeeds("two")], 0, (late) => discarded.push(late))
    assert.deepStrictEqual(await found, { index: 1, result: "two" })
    resolve("one")
    await promise
    assert.deepStrictEqual(discarded, ["one"])
  })
})
