import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ContractCase, registerContract } from "./ContractCase.ts"

const cases: ReadonlyArray<ContractCase> = [
  { group: "one", name: "holds", run: Effect.void },
  { group: "two", name: "is broken", run: Effect.fail(new Error("broken")) },
  { group: "one", name: "cannot be run", run: Effect.void, skip: "there is no disk" }
]

const record = () => {
  const bodies = new Map<string, () => Promise<void>>()
  const skipped: Array<string> = []
  let group = ""
  registerContract(cases, {
    describe: (name, body) => {
      group = name
      body()
    },
    it: Object.assign((name: string, body: () => Promise<void>) => bodies.set(`${group}: ${name}`, body), {
      skip: (name: string) => skipped.push(`${group}: ${name}`)
    })
  })
  return { bodies, skipped }
}

describe("registerContract", () => {
  it("given cases of several groups, each becomes a test of its group, and the skipped one tells its reason", () => {
    const { bodies, skipped } = record()
    assert.deepStrictEqual([...bodies.keys()], ["one: holds", "two: is broken"])
    assert.deepStrictEqual(skipped, ["one: cannot be run (skipped: there is no disk)"])
  })

  it("given a promise that holds, its test passes; given a broken one, it rejects with what broke it", async () => {
    const { bodies } = record()
    await bodies.get("one: holds")?.()
    const rejected = await bodies
      .get("two: is broken")?.()
      .catch((error: unknown) => error)
    assert.strictEqual(String(rejected), "Error: broken")
  })
})
