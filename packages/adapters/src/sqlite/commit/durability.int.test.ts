import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { commandOf, startCommand } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"

const canTrace = spawnSync("strace", ["-o", "/dev/null", "true"]).status === 0
const traced = canTrace ? it.effect : it.effect.skip
const reason = canTrace ? "" : " (skipped: there is no strace that may trace)"

type SystemCall = "write to the log" | "sync of the log" | "acknowledgement"

const kindOf = (line: string): SystemCall | undefined =>
  /pwrite64\(\d+<[^>]*-wal>/.test(line)
    ? "write to the log"
    : /f(data)?sync\(\d+<[^>]*-wal>/.test(line)
      ? "sync of the log"
      : // A write to a full pipe is repeated.
        /write\(1<[^>]*>, "\d+-\d+\\n"/.test(line) && !line.includes("EAGAIN")
        ? "acknowledgement"
        : undefined

/** The system calls of a program that adds pets, from its start message to the last acknowledgement. */
const trace = (concurrency: number, pets: number) =>
  Effect.gen(function* () {
    const file = yield* temporaryFile
    const log = join(dirname(file), "calls.txt")
    const strace = ["strace", "-f", "-y", "-e", "trace=write,pwrite64,fsync,fdatasync", "-o", log] as const
    const program = yield* startCommand([
      ...strace,
      ...(yield* commandOf("write-pets", file, `${concurrency}`, `${pets}`))
    ])
    const [started, ...acknowledged] = yield* program.rest
    assert.strictEqual(started, "started")
    assert.strictEqual(acknowledged.length, pets)
    assert.strictEqual(yield* program.exit, 0)
    const calls = readFileSync(log, "utf8").split("\n")
    const start = calls.findIndex((line) => line.includes('"started\\n"'))
    const kinds = calls.slice(start).flatMap((line) => kindOf(line) ?? [])
    return kinds.slice(0, kinds.lastIndexOf("acknowledgement") + 1)
  })

const count = (calls: ReadonlyArray<SystemCall>, wanted: SystemCall) => calls.filter((call) => call === wanted).length

/** Throws if something is acknowledged before what was written is on the disk. */
const assertSyncedBeforeAcknowledged = (calls: ReadonlyArray<SystemCall>): void => {
  let unsynced = false
  for (const call of calls) {
    if (call === "acknowledgement") assert.isFalse(unsynced, "an acknowledgement came before its sync")
    else unsynced = call === "write to the log"
  }
}

describe("an acknowledged write", () => {
  traced(`of one caller has been synced to the disk, each with a sync of its own${reason}`, () =>
    Effect.gen(function* () {
      const calls = yield* trace(1, 100)
      assertSyncedBeforeAcknowledged(calls)
      assert.isAtLeast(count(calls, "sync of the log"), 100)
      const between = calls.filter((call) => call !== "write to the log").join()
      assert.notInclude(between, "acknowledgement,acknowledgement")
    })
  )

  traced(`of 64 callers has been synced to the disk, many at a time${reason}`, () =>
    Effect.gen(function* () {
      const calls = yield* trace(64, 640)
      assertSyncedBeforeAcknowledged(calls)
      assert.strictEqual(count(calls, "acknowledgement"), 640)
      assert.isAtMost(count(calls, "sync of the log"), 640 / 8)
    })
  )
})
