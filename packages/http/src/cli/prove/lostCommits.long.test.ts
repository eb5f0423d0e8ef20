import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ReplicatedServers, replicatedServers } from "../../../../adapters/test/support/postgres.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startPetstore } from "../../../test/support/PetstoreProcess.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"
import { until } from "../../../test/support/until.ts"
import { parseProof } from "./ProofLog.ts"
import type { ProofReport } from "./ProofReport.ts"

const live = (name: string, body: Effect.Effect<void, never, Scope.Scope>) => it.live(name, () => Effect.scoped(body))

/** With fsync off, no cluster keeps its commits. */
const settings = { fsync: true }

/** The exit code and the conclusion of `petstore doctor --cluster`. */
const doctor = ({ url }: ReplicatedServers) =>
  Effect.map(
    runPetstore(["doctor", "--cluster", "--storage", url]),
    ({ code, stdout }) => [code, stdout.at(-1)] as const
  )

const surviving = "Does an acknowledged order survive the loss of a machine?"

/** The ids of the orders that were acknowledged so far, and that no client has begun to cancel. */
const ordersIn = (log: string): ReadonlyArray<number> => {
  const text = existsSync(log) ? readFileSync(log, "utf8") : ""
  const { entries } = text.includes("\n") ? parseProof(log, text) : { entries: [] }
  const placed = entries.flatMap((entry) => (entry.type === "acknowledged" ? [entry.value.orderId ?? 0] : []))
  const cancelled = new Set(
    entries.flatMap((entry) =>
      entry.type === "call" && entry.command.type === "cancel" ? [entry.command.orderId] : []
    )
  )
  return placed.filter((id) => id > 0 && !cancelled.has(id))
}

/** Starts a proof of a cluster. */
const prove = ({ url }: ReplicatedServers) =>
  Effect.gen(function* () {
    const log = join(yield* temporaryFolder, "proof.ndjson")
    const flags = ["--log", log, "--duration", "120", "--clients", "4", "--wait", "20"]
    const { child, ended, stderr, stdout } = yield* startPetstore(["prove", url, "--yes", ...flags])
    return {
      log,
      /** Completes when so many more orders are acknowledged. Returns their ids. */
      more: (count: number) =>
        Effect.suspend(() => {
          const before = new Set(ordersIn(log))
          const later = () => ordersIn(log).filter((id) => !before.has(id))
          return Effect.map(
            until(`${count} more orders are acknowledged`, () => later().length >= count),
            later
          )
        }),
      /** Ends the load. Returns the exit code and what the command printed. */
      end: Effect.gen(function* () {
        child.kill("SIGINT")
        return { code: yield* ended, stderr: stderr(), stdout: stdout() }
      }),
      /** Checks the log again. */
      report: Effect.map(
        runPetstore(["prove", url, "--yes", "--resume", log, "--json"]),
        ({ stdout }): ProofReport => JSON.parse(stdout.join("\n"))
      )
    }
  })

/** Asserts that a report names orders as lost, except those that a client has begun to cancel. */
const assertNamed = ({ findings }: ProofReport, orders: ReadonlyArray<number>, log: string): void => {
  const named = findings.flatMap(({ kind, message }) =>
    kind === "lost" ? [Number(/; order (\d+) was acknowledged and is /.exec(message)?.[1])] : []
  )
  const kept = new Set(ordersIn(log))
  const expected = orders.filter((id) => kept.has(id))
  assert.isNotEmpty(expected)
  assert.includeMembers(named, expected)
}

/** The primary dies after a standby has received nothing for a while. Returns the orders that were acknowledged in that time. */
const failover = (servers: ReplicatedServers, { more }: Effect.Success<ReturnType<typeof prove>>) =>
  Effect.gen(function* () {
    const { primary, standbys } = servers
    yield* more(20)
    for (const standby of standbys) yield* Effect.promise(() => servers.caughtUp(standby))
    for (const standby of standbys.slice(0, 1)) yield* Effect.promise(() => servers.holdBack(standby))
    const orders = yield* more(50)
    yield* Effect.promise(() => primary.stop("kill"))
    yield* Effect.promise(() => servers.promote())
    yield* more(20)
    return orders
  })

describe("petstore prove, given a primary that dies, and a standby that has received nothing for a while", () => {
  live(
    "when commits wait for none, and that standby takes over, then each lost order is reported, as the doctor has said",
    Effect.gen(function* () {
      const servers = yield* replicatedServers(1, { isSynchronous: false, settings })
      const [status, conclusion = ""] = yield* doctor(servers)
      assert.strictEqual(status, 1)
      assert.include(conclusion, `${surviving} No: commits wait for no standby`)

      const proof = yield* prove(servers)
      const lost = yield* failover(servers, proof)
      const { code, stderr, stdout } = yield* proof.end
      assert.deepStrictEqual([code, stderr.trim()], [1, ""], stdout)
      assert.match(stdout, /\nLost: [1-9]\d+\n {2}call \d+ /)
      assert.match(stdout, /\nThe cluster did not keep its promises: lost[,.]/)
      const report = yield* proof.report
      assertNamed(report, lost, proof.log)
      assert.deepInclude(report.counts, { oversold: 0, invariant: 0 })
    })
  )

  live(
    "when commits wait for one of two, and the other one takes over, then nothing is lost, as the doctor has said",
    Effect.gen(function* () {
      const servers = yield* replicatedServers(2, { settings })
      const [status, conclusion = ""] = yield* doctor(servers)
      assert.strictEqual(status, 0)
      assert.include(conclusion, `${surviving} Yes: an acknowledged order is on this machine and on a standby`)

      const proof = yield* prove(servers)
      yield* failover(servers, proof)
      const { code, stderr, stdout } = yield* proof.end
      assert.deepStrictEqual([code, stderr.trim()], [0, ""], stdout)
      assert.match(stdout, /\nAttempts that failed and were repeated: \d+ with /)
      assert.include(stdout, "\nLost: none\nDoubled: none\nOversold: none\nUnexpected: none\nBroken invariants: none\n")
    })
  )
})

describe("petstore prove, given a primary that comes back as a second one", () => {
  live(
    "when both have acknowledged orders, then it ends, and reports what one of them lacks, and both",
    Effect.gen(function* () {
      const servers = yield* replicatedServers(1, { isSynchronous: false, settings })
      const { primary: first, standbys } = servers
      const proof = yield* prove(servers)
      yield* proof.more(20)
      for (const standby of standbys) yield* Effect.promise(() => servers.caughtUp(standby))
      yield* Effect.promise(() => first.stop("kill"))
      yield* Effect.promise(() => servers.promote())
      const onSecond = yield* proof.more(20)
      yield* Effect.promise(() => first.start())
      yield* Effect.promise(() => servers.primary.stop("kill"))
      yield* proof.more(20)
      yield* Effect.promise(() => servers.primary.start())

      const [status, conclusion = ""] = yield* doctor(servers)
      assert.strictEqual(status, 1)
      assert.include(conclusion, `${surviving} No: 2 servers accept writes`)
      const { code, stderr, stdout } = yield* proof.end
      assert.deepStrictEqual([code, stderr.trim()], [1, ""], stdout)
      assert.match(
        stdout,
        /\n {2}127\.0\.0\.1:\S+ and 127\.0\.0\.1:\S+ accept writes, and each lacks what the others commit\n/
      )
      assertNamed(yield* proof.report, onSecond, proof.log)
    })
  )
})
