import { rmSync, statfsSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, vi } from "@effect/vitest"
import { createPetstore, type Petstore, type StorageAdapter } from "@petstore/core"
import { Storage } from "@petstore/core/ports"
import { messages } from "@petstore/core/tables"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import { expectLogs } from "../../core/test/support/expectLogs.ts"
import { changeRow } from "../../core/test/support/writes.ts"
import { testDatabase } from "../test/support/postgres.ts"
import { type Program, startProgram } from "../test/support/program.ts"
import { smallDisk } from "../test/support/smallDisk.ts"
import { temporaryFile } from "../test/support/temporary.ts"
import { postgres } from "./postgres/postgres.ts"
import { sqlite } from "./sqlite/sqlite.ts"

expectLogs("Nothing can be written to", "can be written to again")

interface Database {
  readonly adapter: StorageAdapter
  /** Names it for the programs. */
  readonly storage: string
}

const databases: Readonly<Record<string, Effect.Effect<Database, never, Scope.Scope>>> = {
  "a SQLite file": Effect.map(temporaryFile, (file) => ({ adapter: sqlite(file), storage: `sqlite:${file}` })),
  PostgreSQL: Effect.map(testDatabase, (url) => ({ adapter: postgres(url), storage: `postgres:${url}` }))
}

const opened = (open: () => Promise<Petstore>): Effect.Effect<Petstore, never, Scope.Scope> =>
  Effect.acquireRelease(Effect.promise(open), (petstore) => Effect.promise(() => petstore.close()))

/** Reads what a program writes up to a line that begins so. */
const until = (program: Program, step: string) =>
  Effect.gen(function* () {
    const read: Array<string> = []
    for (;;) {
      const next = yield* program.line
      if (next === undefined) return assert.fail(`The program ended before it wrote ${step}, after ${read}`)
      read.push(next)
      if (next.startsWith(step)) return read
    }
  })

/** The types of the events about messages. */
const eventsOf = async (petstore: Petstore): Promise<ReadonlyArray<string>> => {
  const types = []
  for await (const { type } of petstore.events.all()) types.push(type)
  return types
}

/** Lets the leases of messages expire now, if they have any. A clock that is ahead would not do: on PostgreSQL, that of the server counts. */
const expireLeases = ({ layer }: StorageAdapter, ...ids: ReadonlyArray<string>) =>
  Storage.pipe(
    Effect.flatMap((store) =>
      Effect.forEach(ids, (id) =>
        changeRow(store, messages, id, (one) => {
          const { lease } = one
          return lease.until === undefined ? one : { ...one, lease: { ...lease, until: one.createdAt } }
        })
      )
    ),
    Effect.provide(layer)
  )

/** What the process that takes over writes of a message that was in an attempt. */
const again = ["begin Hello 1 2", "effect Hello", "acknowledging", "acknowledged"]

const checkDelivered = (petstore: Petstore, id: string, attempts: number) =>
  Effect.promise(async () => {
    const { lastError, status, ...message } = await petstore.messages.get(id)
    assert.deepStrictEqual([status, message.attempts, lastError], ["delivered", attempts, undefined])
    assert.deepStrictEqual(await eventsOf(petstore), ["message.queued", "message.delivered"])
    const { checks, ok } = await petstore.verify()
    assert.isTrue(ok, JSON.stringify(checks.filter(({ violations }) => violations > 0)))
  })

const kills = {
  begin: "when it has claimed a message",
  effect: "after the handler had its effect, and before that is acknowledged",
  acknowledging: "while it acknowledges"
}

for (const [name, database] of Object.entries(databases)) {
  describe(`given a process that delivers the messages of ${name}`, () => {
    for (const [stop, when] of Object.entries(kills)) {
      it.live(`when it is killed ${when}, then another one delivers the message again after the lease`, () =>
        Effect.gen(function* () {
          const { adapter, storage } = yield* database
          const petstore = yield* opened(() => createPetstore({ storage: adapter }))
          const { id } = yield* Effect.promise(() => petstore.messages.enqueue("Hello"))
          const first = yield* startProgram("deliver-messages", storage, stop)
          yield* until(first, stop)
          first.process.kill("SIGKILL")
          assert.strictEqual(yield* first.exit, "SIGKILL")
          const held = yield* Effect.promise(() => petstore.messages.get(id))
          assert.deepStrictEqual([held.status, held.attempts], ["queued", 1])

          yield* expireLeases(adapter, id)
          const next = yield* startProgram("deliver-messages", storage)
          const lines = yield* until(next, "acknowledged")
          assert.deepStrictEqual(
            lines.filter((line) => line !== "open"),
            again
          )
          yield* checkDelivered(petstore, id, 1)
        })
      )
    }

    it.live("when it is killed after it has acknowledged a message, then no other one delivers that again", () =>
      Effect.gen(function* () {
        const { adapter, storage } = yield* database
        const petstore = yield* opened(() => createPetstore({ storage: adapter }))
        const { id } = yield* Effect.promise(() => petstore.messages.enqueue("Hello"))
        const first = yield* startProgram("deliver-messages", storage, "acknowledged")
        yield* until(first, "acknowledged")
        first.process.kill("SIGKILL")
        yield* first.exit
        yield* checkDelivered(petstore, id, 1)

        const next = yield* startProgram("deliver-messages", storage)
        yield* Effect.promise(() => petstore.messages.enqueue("Bye"))
        const lines = yield* until(next, "acknowledged")
        assert.include(lines, "begin Bye 1 1")
        assert.notInclude(lines.join(), "Hello")
      })
    )

    it.live(
      "when another one has delivered its message after the lease, then its late acknowledgement is refused",
      () =>
        Effect.gen(function* () {
          const { adapter, storage } = yield* database
          const petstore = yield* opened(() => createPetstore({ storage: adapter }))
          const { id } = yield* Effect.promise(() => petstore.messages.enqueue("Hello"))
          const late = yield* startProgram("deliver-messages", storage, "late")
          yield* until(late, "effect")
          yield* expireLeases(adapter, id)
          const next = yield* startProgram("deliver-messages", storage)
          yield* until(next, "acknowledged")
          const delivered = yield* Effect.promise(() => petstore.messages.get(id))

          yield* late.send("return")
          assert.deepStrictEqual(
            (yield* until(late, "refused")).filter((line) => line !== "open"),
            ["refused"]
          )
          assert.deepStrictEqual(yield* Effect.promise(() => petstore.messages.get(id)), delivered)
          yield* checkDelivered(petstore, id, 1)
        })
    )
  })
}

for (const [name, database] of Object.entries(databases)) {
  describe(`given a message that ends each process that delivers it, and 59 others that are claimed with it from ${name}`, () => {
    it.live("then it has failed after its eleventh process, and none of the others has lost an attempt", () =>
      Effect.gen(function* () {
        const { adapter, storage } = yield* database
        const petstore = yield* opened(() => createPetstore({ storage: adapter }))
        const texts = Array.from({ length: 60 }, (_, n) => (n === 34 ? "poison" : `Hello ${n}`))
        for (const text of texts) yield* Effect.promise(() => petstore.messages.enqueue(text))
        const attempts: Array<number | undefined> = []
        const found = () => Effect.promise(async () => (await petstore.messages.list({ limit: 100 })).items)
        let processes = 0
        for (let signal: string | number = "SIGKILL"; signal === "SIGKILL"; ) {
          signal = yield* (yield* startProgram("meet-poison", storage)).exit
          if (signal !== "SIGKILL") break
          processes++
          const queued: Array<string> = []
          for (const { id, message, status, attempts: count } of yield* found()) {
            if (message === "poison") attempts.push(count)
            if (status === "queued") queued.push(id)
          }
          yield* expireLeases(adapter, ...queued)
        }
        const all = yield* found()
        assert.deepStrictEqual([processes, attempts], [11, [1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]])
        assert.deepStrictEqual(
          all.map(({ message, status, attempts: count }) => [message, status, count]),
          texts.map((text) => (text === "poison" ? [text, "failed", 10] : [text, "delivered", 1]))
        )
      })
    )
  })
}

describe("given a handler that waits for nothing that keeps a process alive", () => {
  it.live("when the petstore closes, then the process stays until it has closed, and the message is due at once", () =>
    Effect.gen(function* () {
      const file = yield* temporaryFile
      const program = yield* startProgram("close-during-message", file)
      assert.deepStrictEqual(yield* program.rest, ["closed"])
      assert.strictEqual(yield* program.exit, 0)
      const petstore = yield* opened(() => createPetstore({ storage: sqlite(file) }))
      const [message] = (yield* Effect.promise(() => petstore.messages.list())).items
      assert.deepStrictEqual([message?.status, message?.attempts], ["queued", undefined])
    })
  )
})

/** A store that counts how many acknowledgements could not be recorded. */
const countingFailures = ({ layer, ...adapter }: StorageAdapter) => {
  const failed: Array<string> = []
  const storage: StorageAdapter = {
    ...adapter,
    layer: Layer.effect(
      Storage,
      Effect.map(Storage, (whole) => ({
        ...whole,
        run: (begin, command) =>
          Effect.tapError(whole.run(begin, command), (error) =>
            Effect.sync(() => {
              if (command === "messages.finish") failed.push(String(Object(error)._tag))
            })
          )
      }))
    ).pipe(Layer.provide(layer))
  }
  return { storage, failed }
}

describe("given a disk that is full when a message has been delivered", () => {
  it.live("then it is acknowledged as soon as there is space, and the handler is called once", (test) =>
    Effect.gen(function* () {
      const folder = yield* smallDisk
      if (folder === undefined) return test.skip("this process may not mount a small disk: run the tests as root")
      const ballast = join(folder, "ballast")
      const { failed, storage } = countingFailures(sqlite(join(folder, "petstore.db")))
      const calls: Array<number> = []
      const log = vi.spyOn(console, "log").mockImplementation(() => {})
      yield* Effect.addFinalizer(() => Effect.sync(() => log.mockRestore()))
      const petstore = yield* opened(() =>
        createPetstore({
          storage,
          onMessage: (_, { attempt }) => {
            calls.push(attempt)
            const { bavail, bsize } = statfsSync(folder)
            writeFileSync(ballast, new Uint8Array(bavail * bsize))
          }
        })
      )
      const { id } = yield* Effect.promise(() => petstore.messages.enqueue("Hello"))
      yield* Effect.promise(async () => {
        while (failed.length < 3) await new Promise((resolve) => setTimeout(resolve, 20))
      })
      assert.deepStrictEqual([...new Set(failed)], ["StorageFull"])
      assert.strictEqual(log.mock.calls.join().split("Cannot finish messages; this is tried again").length, 2)
      assert.strictEqual((yield* Effect.promise(() => petstore.messages.get(id))).status, "queued")
      rmSync(ballast)
      yield* Effect.promise(async () => {
        for await (const _ of petstore.events.stream({ after: 0, types: ["message.delivered"] })) break
      })
      yield* checkDelivered(petstore, id, 1)
      assert.deepStrictEqual(calls, [1])
    })
  )
})
