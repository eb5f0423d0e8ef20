import { execFileSync } from "node:child_process"
import fs, { copyFileSync, mkdirSync, renameSync, rmSync, statfsSync, truncateSync, writeFileSync } from "node:fs"
import { syncBuiltinESMExports } from "node:module"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { fail } from "@petstore/core/kernel"
import { pets } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { commandOf, type Program, startCommand } from "../../../test/support/program.ts"
import { addCategory, addPet, petNames } from "../../../test/support/rows.ts"
import { smallDisk } from "../../../test/support/smallDisk.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { openStore } from "../store.ts"

/** While the scope is open, the disk has no room for a write of 100 kB or more. Returns what ends that. */
const littleSpace = Effect.acquireRelease(
  Effect.sync(() => {
    const { writeSync } = fs
    const set = (write: typeof writeSync): void => {
      fs.writeSync = write
      syncBuiltinESMExports()
    }
    const limited = (...args: Parameters<typeof writeSync>): number => {
      if (Buffer.byteLength(args[1]) < 100_000) return writeSync(...args)
      throw Object.assign(new Error("no space left on device"), { code: "ENOSPC" })
    }
    set(limited as typeof writeSync)
    return () => set(writeSync)
  }),
  (end) => Effect.sync(end)
)

/** A store with one pet, how often it has committed, and what it has written to the log. */
const opened = Effect.gen(function* () {
  const file = yield* temporaryFile
  const log: Array<string> = []
  const logger = Logger.make(({ message }) => log.push(String(Array.isArray(message) ? message[0] : message)))
  const { store, writer } = yield* Effect.provide(openStore({ file }), Logger.layer([logger]))
  const categoryId = yield* store.run((tx) => addCategory(tx))
  const add = (name: string) => store.run((tx) => addPet(tx, categoryId, name))
  yield* add("Rex")
  const commits = { count: 0, fault: undefined as Error | undefined, after: undefined as (() => void) | undefined }
  const run = writer.run.bind(writer)
  writer.run = (sql) => {
    if (sql !== "COMMIT") return run(sql)
    commits.count++
    if (commits.fault !== undefined) {
      run("ROLLBACK")
      throw commits.fault
    }
    run(sql)
    commits.after?.()
  }
  return { file, store, add, commits, log }
})

const tagOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.match(effect, { onFailure: ({ _tag }) => _tag, onSuccess: () => "ok" })

const secondPasses = Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1_050)))

/** What SQLite throws where the log cannot be synced. */
const syncFailed = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 1034 })

/** What SQLite throws where a write has no room. */
const diskFull = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 })

describe("given a store that can be written to", () => {
  it.effect("when it has just been written to, then it is ready without another write", () =>
    Effect.gen(function* () {
      const { add, commits, store } = yield* opened
      yield* add("Max")
      const { count } = commits
      yield* store.ready
      assert.strictEqual(commits.count, count)
    })
  )

  it.effect("when no call writes, then concurrent checks share one write, and those of the next second need none", () =>
    Effect.gen(function* () {
      const { commits, store } = yield* opened
      yield* secondPasses
      const { count } = commits
      yield* Effect.all(
        Array.from({ length: 100 }, () => store.ready),
        { concurrency: "unbounded" }
      )
      yield* store.ready
      assert.strictEqual(commits.count, count + 1)
      yield* secondPasses
      yield* store.ready
      assert.strictEqual(commits.count, count + 2)
      assert.deepStrictEqual(yield* store.inspect, [])
    })
  )

  it.effect("when a transaction only reads or is rejected, then that does not make it ready", () =>
    Effect.gen(function* () {
      const { add, commits, store } = yield* opened
      yield* secondPasses
      yield* store.run(function* (tx) {
        yield* tx.lock(pets, 1)
      })
      yield* Effect.flip(
        store.run(function* (tx) {
          yield* addCategory(tx, "Cats")
          yield* fail("no")
        })
      )
      const { count } = commits
      yield* store.ready
      assert.strictEqual(commits.count, count + 1)
      yield* add("Max")
    })
  )
})

describe("given a log that cannot be synced", () => {
  it.effect("then the store stops being ready at once, logs it once, and recovers by itself", () =>
    Effect.gen(function* () {
      const { add, commits, log, store } = yield* opened
      commits.fault = syncFailed
      assert.strictEqual(yield* tagOf(add("Max")), "CommitUnknown")
      for (let n = 0; n < 3; n++) assert.strictEqual(yield* tagOf(store.ready), "StorageUnavailable")
      assert.strictEqual(log.length, 1, log.join())
      assert.match(log[0] ?? "", /^Nothing can be written to .*petstore\.db/)
      commits.fault = undefined
      yield* secondPasses
      yield* store.ready
      yield* add("Tom")
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Tom"])
      assert.match(log[1] ?? "", /can be written to again/)
    })
  )
})

describe("given that the log was emptied in place by another program", () => {
  it.effect("then the store is not ready, no write is acknowledged, and nothing can be read", () =>
    Effect.gen(function* () {
      const { add, file, store } = yield* opened
      truncateSync(`${file}-wal`)
      for (let n = 0; n < 20; n++) {
        assert.strictEqual(yield* tagOf(store.ready), "StorageUnavailable")
        assert.strictEqual(yield* tagOf(add(`Max ${n}`)), "StorageUnavailable")
        assert.strictEqual(yield* tagOf(store.find(pets, 1)), "StorageUnavailable")
      }
    })
  )
})

/** What the first write finds: a database that is gone or smaller before it begins, everything else after its COMMIT. */
type First = "StorageUnavailable" | "CommitUnknown"

const losses: ReadonlyArray<readonly [what: string, first: First, lose: (file: string) => void]> = [
  ["the database was deleted", "StorageUnavailable", (file) => rmSync(file)],
  [
    "the database was replaced by another",
    "StorageUnavailable",
    (file) => {
      writeFileSync(`${file}.new`, "")
      renameSync(`${file}.new`, file)
    }
  ],
  [
    "the database was replaced by a copy",
    "CommitUnknown",
    (file) => {
      copyFileSync(file, `${file}.new`)
      renameSync(`${file}.new`, file)
    }
  ],
  ["the log was deleted", "CommitUnknown", (file) => rmSync(`${file}-wal`)],
  [
    "the log was replaced",
    "CommitUnknown",
    (file) => {
      copyFileSync(`${file}-wal`, `${file}.new`)
      renameSync(`${file}.new`, `${file}-wal`)
    }
  ],
  ["the index of the log was deleted", "CommitUnknown", (file) => rmSync(`${file}-shm`)],
  [
    "the folder was moved away",
    "StorageUnavailable",
    (file) => {
      renameSync(dirname(file), `${dirname(file)}-moved`)
      // Goes with the folder of the test.
      mkdirSync(dirname(file))
      renameSync(`${dirname(file)}-moved`, join(dirname(file), "moved"))
    }
  ]
]

for (const [what, first, lose] of losses) {
  describe(`given that ${what} while it was open`, () => {
    it.effect("then no write is acknowledged, the store is not ready, and this is logged once", () =>
      Effect.gen(function* () {
        const { add, file, log, store } = yield* opened
        lose(file)
        assert.strictEqual(yield* tagOf(store.ready), "StorageUnavailable")
        const tags = yield* Effect.all(
          ["Max", "Tom", "Ben"].map((name) => tagOf(add(name))),
          { concurrency: "unbounded" }
        )
        for (const tag of tags) assert.strictEqual(tag, "StorageUnavailable")
        for (let n = 0; n < 3; n++) assert.strictEqual(yield* tagOf(store.ready), "StorageUnavailable")
        assert.strictEqual(yield* tagOf(store.backup?.(`${file}.copy`) ?? Effect.void), "StorageUnavailable")
        assert.deepStrictEqual(
          (yield* store.scan(pets, [], 10)).map(({ name }) => name),
          ["Rex"]
        )
        assert.strictEqual(log.length, 1, log.join())
      })
    )

    const outcome = first === "CommitUnknown" ? "has an unknown outcome" : "is rejected"
    it.effect(`then the first write ${outcome}, and the next one is rejected`, () =>
      Effect.gen(function* () {
        const { add, file } = yield* opened
        lose(file)
        assert.strictEqual(yield* tagOf(add("Max")), first)
        assert.strictEqual(yield* tagOf(add("Tom")), "StorageUnavailable")
      })
    )
  })
}

describe("given a database that was moved away and back", () => {
  it.effect("then it can be written to again", () =>
    Effect.gen(function* () {
      const { add, file, store } = yield* opened
      renameSync(file, `${file}.away`)
      assert.strictEqual(yield* tagOf(store.ready), "StorageUnavailable")
      renameSync(`${file}.away`, file)
      yield* store.ready
      yield* add("Max")
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Max"])
    })
  )
})

describe("given files that cannot be looked at for a while", () => {
  /** Puts a file in the place of the folder; returns what undoes it. */
  const hide = (file: string): (() => void) => {
    const folder = dirname(file)
    renameSync(folder, `${folder}-hidden`)
    writeFileSync(folder, "")
    return () => {
      rmSync(folder)
      renameSync(`${folder}-hidden`, folder)
    }
  }

  it.effect("then writes are rejected, and work again when the files can be looked at", () =>
    Effect.gen(function* () {
      const { add, file, store } = yield* opened
      const show = hide(file)
      const tags = [yield* tagOf(add("Max")), yield* tagOf(store.ready), yield* tagOf(add("Tom"))]
      const found = yield* store.scan(pets, [], 10)
      show()
      assert.deepStrictEqual(tags, ["StorageUnavailable", "StorageUnavailable", "StorageUnavailable"])
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        ["Rex"]
      )
      yield* store.ready
      yield* add("Ben")
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Ben"])
    })
  )

  it.effect("when it happens after a COMMIT, then the outcome is unknown, and the write is there", () =>
    Effect.gen(function* () {
      const { add, commits, file, store } = yield* opened
      let show = (): void => {}
      commits.after = () => {
        show = hide(file)
      }
      const tag = yield* tagOf(add("Max"))
      commits.after = undefined
      show()
      assert.strictEqual(tag, "CommitUnknown")
      yield* store.ready
      assert.deepStrictEqual(yield* petNames(store), ["Rex", "Max"])
    })
  )
})

/** Sends lines until the output matches. */
const until = (program: Program, expected: RegExp) =>
  Effect.gen(function* () {
    for (let n = 0; n < 500; n++) {
      yield* program.send("write")
      const line = (yield* program.line) ?? "ended"
      if (expected.test(line)) return line
    }
    return yield* Effect.die(new Error(`The output never matched ${expected}`))
  })

describe("given a file that may not grow any more", () => {
  it.effect("then writes fail with StorageFull, and the store is not ready until there is space", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const limited = ["bash", "-c", 'ulimit -S -f 600; exec "$@"', "bash"] as const
      const program = yield* startCommand([...limited, ...(yield* commandOf("serve-probes", file))])
      assert.strictEqual(yield* program.line, "started")
      assert.strictEqual(yield* until(program, /^\w+Full \w+Full/), "StorageFull StorageFull ok")
      execFileSync("prlimit", ["--pid", String(program.process.pid), "--fsize=unlimited:unlimited"])
      assert.strictEqual(yield* until(program, /./), "ok ok ok")
    })
  )
})

describe("given a disk with room for small writes only", () => {
  it.effect("when a write had no room, then the store is not ready until there is room for more than that", () =>
    Effect.gen(function* () {
      const { add, commits, store } = yield* opened
      const makeSpace = yield* littleSpace
      commits.fault = diskFull
      assert.strictEqual(yield* tagOf(add("Max")), "StorageFull")
      commits.fault = undefined
      assert.strictEqual(yield* tagOf(store.ready), "StorageFull")
      makeSpace()
      assert.strictEqual(yield* tagOf(store.ready), "ok")
    })
  )
})

describe("given a disk that is full", () => {
  it.effect("then writes fail with StorageFull, and the store is not ready until there is space", (test) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === undefined) return test.skip("this process may not mount a small disk: run the tests as root")
      const program = yield* startCommand(yield* commandOf("serve-probes", join(folder, "petstore.db")))
      assert.strictEqual(yield* program.line, "started")
      assert.strictEqual(yield* until(program, /^ok ok ok/), "ok ok ok")
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(join(folder, "ballast"), new Uint8Array(bavail * bsize))
      assert.strictEqual(yield* until(program, /^\w+Full/), "StorageFull StorageFull ok")
      rmSync(join(folder, "ballast"))
      assert.strictEqual(yield* until(program, /./), "ok ok ok")
    })
  )
})
