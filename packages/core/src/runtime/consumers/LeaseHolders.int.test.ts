import { spawn } from "node:child_process"
import { once } from "node:events"
import { readFileSync, readlinkSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { holdersOf, LeaseHolders } from "./LeaseHolders.ts"

const onLinux = process.platform === "linux"

/** The fields of a process after its name. */
const fieldsOf = (pid: number | undefined): ReadonlyArray<string> => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** The name that a process of this machine would have as a holder. */
const nameOf = (pid: number | undefined, self: string): string =>
  `${pid}@${self.slice(self.indexOf("@") + 1, self.lastIndexOf("."))}.${fieldsOf(pid)[19]}-abc`

/** A process that does nothing. */
const started = (script: string) =>
  Effect.acquireRelease(
    Effect.sync(() => spawn("sh", ["-c", script], { stdio: ["ignore", "pipe", "ignore"] })),
    (child) => Effect.sync(() => child.kill("SIGKILL"))
  )

const sleeper = (self: string) =>
  Effect.map(started("exec sleep 60"), (child) => ({ child, name: nameOf(child.pid, self) }))

describe.runIf(onLinux)("the processes that hold leases", () => {
  it.live("given one that lives or is stopped, then it has not ended; once it is killed, it has", () =>
    Effect.gen(function* () {
      const { hasEnded, self } = yield* LeaseHolders
      const { child, name } = yield* sleeper(self)
      assert.isFalse(hasEnded(name))
      child.kill("SIGSTOP")
      assert.isFalse(hasEnded(name))
      const exit = once(child, "exit")
      child.kill("SIGKILL")
      yield* Effect.promise(() => exit)
      assert.isTrue(hasEnded(name))
    })
  )

  it.live("given one that was killed, and that its parent does not wait for, then it has ended", () =>
    Effect.gen(function* () {
      const { hasEnded, self } = yield* LeaseHolders
      const parent = yield* started("sleep 60 & echo $!; exec sleep 60")
      const [line] = yield* Effect.promise(() => once(parent.stdout, "data"))
      // Until then it is a shell, which waits for its children.
      while (readFileSync(`/proc/${parent.pid}/comm`, "utf8") !== "sleep\n") yield* Effect.sleep(1)
      const pid = Number(line)
      const name = nameOf(pid, self)
      assert.isFalse(hasEnded(name))
      process.kill(pid, "SIGKILL")
      while (fieldsOf(pid)[0] !== "Z") yield* Effect.sleep(1)
      assert.isTrue(hasEnded(name))
    })
  )

  it.live("given this process, then it has not ended; one that had its number before has", () =>
    Effect.gen(function* () {
      const { hasEnded, self } = yield* LeaseHolders
      assert.match(self, /^\d+@[0-9a-f]{8}\.\d+\.\d+-$/)
      assert.isFalse(hasEnded(`${self}abc`))
      assert.isTrue(hasEnded(self.replace(/\d+-$/, "1-abc")))
    })
  )

  it.live("given one that cannot be seen from here, then it is not known to have ended", () =>
    Effect.gen(function* () {
      const { hasEnded, self } = yield* LeaseHolders
      const { child, name } = yield* sleeper(self)
      child.kill("SIGKILL")
      yield* Effect.promise(() => once(child, "exit"))
      assert.isTrue(hasEnded(name))
      const boot = name.replace(/@.{8}/, "@00000000")
      const container = name.replace(/\.\d+\./, ".1.")
      for (const other of [boot, container]) assert.isFalse(hasEnded(other), other)
      for (const other of ["", "abc", "4711-abc", `${child.pid}-abc`]) assert.isFalse(hasEnded(other), other)
    })
  )

  it.live("given one that the system hides, then it has ended only if there is none with its number", () =>
    Effect.gen(function* () {
      const { self } = yield* LeaseHolders
      const { name } = yield* sleeper(self)
      const hiding = (code: string) =>
        holdersOf({
          pid: process.pid,
          kill: () => {
            throw Object.assign(new Error(`kill ${code}`), { code })
          },
          getBuiltinModule: () => ({
            readFileSync: (path, encoding) => readFileSync(path.replace(/\/proc\/\d+/, "/no/such/folder"), encoding),
            readlinkSync: (path) => readlinkSync(path)
          })
        })
      assert.deepStrictEqual(
        ["EPERM", "ESRCH"].map((code) => hiding(code).hasEnded(name)),
        [false, true]
      )
    })
  )
})
