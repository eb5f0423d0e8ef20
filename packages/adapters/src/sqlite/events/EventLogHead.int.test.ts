import { execFileSync } from "node:child_process"
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync
} from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore } from "@petstore/core"
import { runtimeOf } from "@petstore/core/effect"
import { fail } from "@petstore/core/kernel"
import { Trimming } from "@petstore/core/runtime"
import { events } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { startProgram } from "../../../test/support/program.ts"
import { temporaryFile } from "../../../test/support/temporary.ts"
import { toEvent } from "../../sql/EventStatements.ts"
import { defaultPrefix } from "../connection/Connection.ts"
import { openReader, requireWholeFiles } from "../connection/open.ts"
import { sqlite } from "../sqlite.ts"
import { openStore } from "../store.ts"
import { EventLogHead, headPath, headProblem, readHead } from "./EventLogHead.ts"

const opened = (file: string, options: Partial<Parameters<typeof createPetstore>[0]> = {}) =>
  Effect.acquireRelease(
    Effect.tryPromise({
      try: () => createPetstore({ storage: sqlite(file), ...options }),
      catch: (error) => error as Error
    }),
    (petstore) => Effect.promise(() => petstore.close())
  )

/** Adds so many categories, each of which has one event. */
const write = (file: string, count: number, name = "Dogs", options = {}) =>
  Effect.scoped(
    Effect.flatMap(opened(file, options), (petstore) =>
      Effect.promise(async () => {
        for (let n = 0; n < count; n++) await petstore.categories.create({ name: `${name} ${n}` })
      })
    )
  )

/** Why a file is not opened; undefined if it is. */
const refusal = (file: string) =>
  Effect.scoped(Effect.match(opened(file), { onFailure: ({ message }) => message, onSuccess: () => undefined }))

const anEvent = {
  seq: 0,
  type: "pet.deleted",
  subject: "pets/1",
  timestamp: "2026-01-01T00:00:00.000Z",
  data: { id: 1 }
}

describe("given acknowledged writes of a process that was killed", () => {
  for (const [what, cut] of [
    ["32 bytes", () => 32],
    ["half", (path: string) => Math.floor(statSync(path).size / 2)],
    ["all but its last byte", (path: string) => statSync(path).size - 1]
  ] as const) {
    it.effect(`when its log is cut to ${what}, then opening the file reports how many events are gone`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const program = yield* startProgram("lose-files", file)
        assert.strictEqual(yield* program.line, "started")
        program.process.kill("SIGKILL")
        yield* program.exit
        const committed = readHead(`${file}-head`).latest ?? assert.fail("there is a head")
        const log = `${file}-wal`
        copyFileSync(log, `${log}.whole`)
        truncateSync(log, cut(log))
        const cutLog = readFileSync(log)

        const message = (yield* refusal(file)) ?? assert.fail("it was opened")
        const [, missing, last] =
          /lacks (\d+) events? that .* committed: its log ends with event (\d+)/.exec(message) ?? []
        assert.isAbove(Number(missing), 0, message)
        assert.strictEqual(Number(last) + Number(missing), committed.seq)
        assert.include(message, `event ${committed.seq} (${committed.id}) was committed`)
        assert.include(message, "delete petstore.db-head")
        assert.isTrue(readFileSync(log).equals(cutLog), "what is left stays as it is")

        copyFileSync(`${log}.whole`, log)
        rmSync(`${file}-shm`, { force: true })
        assert.isUndefined(yield* refusal(file))
      })
    )
  }

  for (const [what, lose] of [
    ["emptied", (file: string) => truncateSync(file)],
    ["deleted", (file: string) => rmSync(file)]
  ] as const) {
    it.effect(
      `when the database is ${what}, then opening it reports that all events are gone, and creates nothing`,
      () =>
        Effect.gen(function* () {
          const file = yield* temporaryFile
          yield* write(file, 3)
          lose(file)
          assert.match(
            String(yield* refusal(file)),
            /lacks 3 events .* its log ends with event 0, and event 3 \(evt_\w+\)/
          )
          assert.strictEqual(existsSync(file), what === "emptied")
        })
    )
  }
})

describe("given a database that was emptied, with its log beside it", () => {
  it.effect("then opening it leaves the log as it is, for the database to be put back", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const lost = `${file}.lost`
      yield* Effect.scoped(
        Effect.gen(function* () {
          const petstore = yield* opened(file)
          yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
          for (const suffix of ["-wal", "-head"]) copyFileSync(file + suffix, lost + suffix)
          copyFileSync(file, `${lost}.whole`)
        })
      )
      writeFileSync(lost, "")
      assert.match(String(yield* refusal(lost)), /lacks 1 event that was committed: its log ends with event 0/)
      assert.isAbove(statSync(`${lost}-wal`).size, 0)

      copyFileSync(`${lost}.whole`, lost)
      assert.isUndefined(yield* refusal(lost))
    })
  )
})

describe("given a backup that was restored in place", () => {
  it.effect("then opening it reports what is missing, until the head is deleted", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const copy = `${file}.backup`
      yield* write(file, 3)
      // Of an earlier file of this name.
      writeFileSync(`${copy}-head`, "900 evt_other 900\n")
      yield* Effect.scoped(Effect.flatMap(opened(file), (petstore) => Effect.promise(() => petstore.backup(copy))))
      assert.isFalse(existsSync(`${copy}-head`))
      yield* write(file, 1, "Cats")
      copyFileSync(copy, file)
      assert.match(String(yield* refusal(file)), /lacks 1 event that was committed: its log ends with event 3/)
      rmSync(`${file}-head`)
      assert.isUndefined(yield* refusal(file))
      assert.isFalse(existsSync(`${file}-head`), "only a commit writes it")
    })
  )

  it.effect("when it was written to without the head, then opening it with the head reports another event", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* write(file, 3)
      const head = readFileSync(`${file}-head`)
      rmSync(file)
      rmSync(`${file}-head`)
      yield* write(file, 4)
      writeFileSync(`${file}-head`, head)
      assert.match(String(yield* refusal(file)), /its event 3 is evt_\w+, and evt_\w+ was committed/)
    })
  )
})

describe("given a store that is open", () => {
  it.effect("when its head records an event that it lacks, then verify reports it", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* opened(file)
      yield* Effect.promise(() => petstore.categories.create({ name: "Dogs" }))
      assert.isTrue((yield* Effect.promise(() => petstore.verify())).ok)
      writeFileSync(`${file}-head`, "3 evt_gone 3\n")
      const { checks, ok } = yield* Effect.promise(() => petstore.verify())
      assert.isFalse(ok)
      const found = checks.filter(({ violations }) => violations > 0)
      assert.deepStrictEqual(
        found.map(({ name }) => name),
        ["store_intact"]
      )
      assert.match(JSON.stringify(found), /lacks 2 events that were committed/)
    })
  )

  it.effect(
    "when transactions share a commit, and one that added an event fails, then the latest of the others is recorded",
    () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        const { store } = yield* openStore({ file })
        const add = (n: number, fails = false) => {
          return Effect.exit(
            store.run(function* (tx) {
              tx.append(events, [toEvent({ ...anEvent, id: `evt_${n}` })])
              if (fails) yield* fail("no" as const)
            })
          )
        }
        yield* Effect.all([add(1), add(2), add(3, true)], { concurrency: "unbounded" })
        assert.deepStrictEqual(readHead(`${file}-head`).latest, { seq: 2, id: "evt_2" })
        yield* add(4, true)
        assert.deepStrictEqual(readHead(`${file}-head`).latest, { seq: 2, id: "evt_2" })
      })
  )

  it.effect("when the head is deleted or replaced, then it is there again after a second", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const petstore = yield* opened(file)
      const add = (name: string) => Effect.promise(() => petstore.categories.create({ name }))
      yield* add("Dogs")
      rmSync(`${file}-head`)
      yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 1_100)))
      yield* add("Cats")
      assert.strictEqual(readHead(`${file}-head`).latest?.seq, 2)
    })
  )

  it.effect("when retention removes the event that the head records, then the file is opened", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* write(file, 5)
      const head = readFileSync(`${file}-head`)
      yield* write(file, 20, "Cats")
      const retention = { events: { count: 1 } }
      yield* Effect.scoped(
        Effect.flatMap(opened(file, { retention }), (petstore) =>
          Effect.promise(() => runtimeOf(petstore).runPromise(Effect.flatMap(Trimming, ({ trim }) => trim)))
        )
      )
      writeFileSync(`${file}-head`, head)
      const reader = openReader(file)
      assert.isUndefined(reader.prepare("SELECT 1 FROM petstore_events WHERE seq = 5").get())
      reader.database.close()
      assert.isUndefined(yield* refusal(file))
    })
  )

  it.effect("when stores with other prefixes are in the file, then each has its own head", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      yield* write(file, 1)
      yield* write(file, 2, "Dogs", { storage: sqlite({ file, tablePrefix: "shop_" }) })
      assert.deepStrictEqual(
        [`${file}-head`, `${file}-shop_head`].map((path) => readHead(path).latest?.seq),
        [1, 2]
      )
    })
  )
})

const away = "not a file. Move"

/** What can be in the place of the head, and what opening the store says of it. */
const otherThanFiles: ReadonlyArray<readonly [what: string, make: (path: string) => void, expected: string]> = [
  ["a folder", (path) => mkdirSync(path), `is a folder, ${away}`],
  ["a pipe", (path) => execFileSync("mkfifo", [path]), `is a pipe, ${away}`],
  ["a link that leads nowhere", (path) => symlinkSync(`${path}.none`, path), `is a link, ${away}`],
  ["a link that leads to itself", (path) => symlinkSync(path, path), `is a link, ${away}`],
  ["a link to a device", (path) => symlinkSync("/dev/zero", path), `is a link, ${away}`],
  ["an empty file", (path) => writeFileSync(path, ""), "contains no event. The next change of the store writes to it"],
  ["a file of another program", (path) => writeFileSync(path, "\u0000x".repeat(300)), "contains no event."]
]

describe("the head of an event log", () => {
  it.effect("that was written by halves, at any place, shows nothing or one of both events", () =>
    Effect.gen(function* () {
      const path = `${yield* temporaryFile}-head`
      const texts = ["9 evt_aaaa 9\n", "10 evt_bbbb 10\n", "11 evt_cccc 11\n", "100 evt_dddd 100\n"]
      for (const before of ["", ...texts]) {
        for (const after of texts) {
          for (let length = 0; length <= after.length; length++) {
            const torn = after.slice(0, length) + before.slice(length)
            writeFileSync(path, torn)
            const found = readHead(path).latest
            if (found !== undefined) assert.include([before, after], `${found.seq} ${found.id} ${found.seq}\n`, torn)
          }
        }
      }
      for (const text of ["", "\0".repeat(30), "x", "5 evt_a 5", "5 evt_a 6\n"]) {
        writeFileSync(path, text)
        assert.deepStrictEqual(Object.keys(readHead(path)), ["problem"], text)
      }
    })
  )

  it.effect("that cannot be written to is left alone", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      writeFileSync(file, "", { mode: 0o640 })
      const head = new EventLogHead(file, defaultPrefix)
      rmSync(file)
      head.record({ seq: 1, id: "evt_a" })
      assert.strictEqual(statSync(`${file}-head`).mode & 0o777, 0o640)
      const inTheWay = new EventLogHead("/proc/self/status", defaultPrefix)
      inTheWay.record({ seq: 1, id: "evt_a" })
      inTheWay.close()
      head.close()
      head.close()
    })
  )

  it.effect.skipIf(process.platform === "win32")("that is a link to another file is left alone", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      writeFileSync(file, "")
      writeFileSync(`${file}.other`, "precious")
      symlinkSync(`${file}.other`, `${file}-head`)
      const head = new EventLogHead(file, defaultPrefix)
      head.record({ seq: 1, id: "evt_a" })
      head.close()
      assert.strictEqual(readFileSync(`${file}.other`, "utf8"), "precious")
    })
  )

  for (const [what, make, expected] of otherThanFiles) {
    it.effect.skipIf(process.platform === "win32")(`that is ${what} is left alone, and opening says what to do`, () =>
      Effect.gen(function* () {
        const file = yield* temporaryFile
        yield* write(file, 1)
        const path = `${file}-head`
        rmSync(path)
        make(path)
        const found = lstatSync(path)
        assert.include(yield* requireWholeFiles(file, 0), `${path} ${expected}`)
        yield* Effect.scoped(
          Effect.flatMap(openStore({ file }), ({ store }) =>
            Effect.andThen(
              store.run(function* (tx) {
                tx.append(events, [toEvent({ ...anEvent, id: "evt_a" })])
              }),
              Effect.map(store.inspect, (problems) => assert.deepStrictEqual(problems, []))
            )
          )
        ).pipe(Effect.provide(Logger.layer([])))
        if (found.isFile()) assert.strictEqual(readHead(path).latest?.id, "evt_a")
        else assert.strictEqual(lstatSync(path).ino, found.ino)
      })
    )
  }

  it("lacks everything in a database that does not exist", () => {
    assert.match(String(headProblem(undefined, { seq: 2, id: "evt_a" })), /lacks 2 events/)
    assert.strictEqual(headPath("/no/such/petstore.db", defaultPrefix), "/no/such/petstore.db-head")
  })
})
