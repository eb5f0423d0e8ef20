import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { type ContractCase, type ContractRunner, inGroups, registerContract } from "./ContractCase.ts"

type Body = Parameters<ContractRunner["it"]>[1]

const cases: ReadonlyArray<ContractCase> = [
  { group: "one", name: "holds", run: Effect.void },
  { group: "two", name: "is broken", run: Effect.fail(new Error("broken")) },
  { group: "one", name: "cannot be run", run: Effect.void, skip: "there is no disk" }
]

const record = (cases: ReadonlyArray<ContractCase>) => {
  const bodies = new Map<string, Body>()
  const skipped: Array<string> = []
  let group = ""
  registerContract(cases, {
    describe: (name, body) => {
      group = name
      body()
    },
    it: Object.assign((name: string, body: Body) => bodies.set(`${group}: ${name}`, body), {
      skip: (name: string) => skipped.push(`${group}: ${name}`)
    })
  })
  return { bodies, skipped }
}

describe("inGroups", () => {
  it("given groups that the contract has, it returns their cases", () => {
    assert.deepStrictEqual(
      inGroups(cases, ["one"]).map(({ name }) => name),
      ["holds", "cannot be run"]
    )
  })

  it("given a group that the contract does not have, it throws and names those that it has", () => {
    assert.throws(() => inGroups(cases, ["one", "three"]), TypeError, "has no group three. It has one, two")
  })
})

describe("registerContract", () => {
  it("given no cases, as a misspelled filter leaves, it throws and says so", () => {
    assert.throws(() => record([]), TypeError, "There are no cases to run")
  })

  it("given cases of several groups, each becomes a test of its group, and the name of a skipped one has the reason", () => {
    const { bodies, skipped } = record(cases)
    assert.deepStrictEqual([...bodies.keys()], ["one: holds", "two: is broken"])
    assert.deepStrictEqual(skipped, ["one: cannot be run (skipped: there is no disk)"])
  })

  it("given a promise that holds, its test passes; given a broken one, it rejects with what broke it", async () => {
    const { bodies } = record(cases)
    await bodies.get("one: holds")?.()
    const rejected = await bodies
      .get("two: is broken")?.()
      .catch((error: unknown) => error)
    assert.strictEqual(String(rejected), "Error: broken")
  })

  it("given a case that takes too long, it is interrupted, and what it opened is closed", async () => {
    const events: Array<string> = []
    const opening = Effect.acquireRelease(
      Effect.sync(() => events.push("opened")),
      () => Effect.sync(() => events.push("closed"))
    )
    const run = Effect.scoped(Effect.andThen(opening, Effect.never))
    const { bodies } = record([{ group: "one", name: "waits", run }])
    const timeout = new AbortController()
    const ended = bodies.get("one: waits")?.({ signal: timeout.signal })
    timeout.abort()
    await ended?.catch(() => events.push("rejected"))
    assert.deepStrictEqual(events, ["opened", "closed", "rejected"])
  })
})
