import { assert, describe, it } from "@effect/vitest"
import { type ClusterFacts, durabilityOf, waitsForIn } from "./durability.ts"

const safe: ClusterFacts = {
  primaries: ["n1"],
  fsync: true,
  withoutFsync: [],
  fullPageWrites: true,
  synchronousCommit: "on",
  synchronousStandbyNames: "ANY 1 (n2, n3)",
  waitsFor: 1,
  confirming: 2,
  isStandby: false,
  sharesStorage: false,
  sharesSessions: false,
  prepares: true,
  roleLimit: undefined,
  connections: 97,
  ownConnections: 10
}

const alone = { synchronousStandbyNames: "", waitsFor: 0, confirming: 0 }

const problemsOf = (changed: Partial<ClusterFacts>) =>
  durabilityOf({ ...safe, ...changed }).findings.flatMap(({ problem, subject }) =>
    problem === undefined ? [] : [subject]
  )

describe("given a cluster whose commits wait for one of two standbys", () => {
  it("then an acknowledged order survives, and nothing is wrong", () => {
    const { conclusion, survives } = durabilityOf(safe)
    assert.strictEqual(survives, "yes")
    assert.match(conclusion, /^Yes: an acknowledged order is on this machine and on a standby/)
    assert.deepStrictEqual(problemsOf({}), [])
  })

  for (const [what, changed, survives, problems] of [
    ["a second server accepts writes", { primaries: ["n1", "n2"] }, "no", ["servers that accept writes"]],
    ["fsync is off", { fsync: false }, "no", ["fsync"]],
    ["fsync is off on a standby", { withoutFsync: ["n2"] }, "yes", ["fsync"]],
    ["no standby is named", alone, "no", ["synchronous_standby_names"]],
    ["no standby is named, and the service shares storage", { ...alone, sharesStorage: true }, "yes", []],
    ["the server is a standby itself", { ...alone, isStandby: true }, "unknown", ["synchronous_standby_names"]],
    ["one standby is left", { confirming: 1 }, "yes", ["standbys that confirm commits"]],
    ["no standby is left", { confirming: 0 }, "yes", ["standbys that confirm commits"]],
    ["the role may not see the standbys", { confirming: undefined }, "yes", ["standbys that confirm commits"]],
    ["standbys confirm before they have written", { synchronousCommit: "remote_write" }, "yes", ["synchronous_commit"]],
    ["pages are written in part", { fullPageWrites: false }, "yes", ["full_page_writes"]],
    ["sessions are shared, and statements have names", { sharesSessions: true }, "yes", ["pooler"]],
    ["sessions are shared, and statements have none", { sharesSessions: true, prepares: false }, "yes", []],
    ["the role has too few connections", { roleLimit: 9 }, "yes", ["connections"]]
  ] as const) {
    it(`when ${what}, then an acknowledged order survives: ${survives}`, () => {
      assert.strictEqual(durabilityOf({ ...safe, ...changed }).survives, survives)
      assert.deepStrictEqual(problemsOf(changed), [...problems])
    })
  }
})

describe("given a server that gives sessions a weaker synchronous_commit", () => {
  it("then it is shown that petstores set it on", () => {
    const { findings } = durabilityOf({ ...safe, synchronousCommit: "local" })
    assert.deepInclude(findings, { subject: "synchronous_commit", value: "local, on in petstores" })
  })
})

describe("the number of standbys that a commit waits for", () => {
  for (const [names, count] of [
    ["", 0],
    ["n2", 1],
    ["n2, n3", 1],
    ["*", 1],
    ["ANY 1 (n2, n3)", 1],
    ["any 2(n2, n3, n4)", 2],
    ["FIRST 2 (n2, n3)", 2],
    ["2 (n2, n3)", 2]
  ] as const) {
    it(`is ${count} for ${JSON.stringify(names)}`, () => assert.strictEqual(waitsForIn(names), count))
  }
})
