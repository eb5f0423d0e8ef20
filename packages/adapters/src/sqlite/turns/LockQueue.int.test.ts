import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFileInMemory } from "../../../test/support/temporary.ts"
import { LockQueue } from "./LockQueue.ts"

const sleep = (milliseconds: number) =>
  Effect.promise(() => new Promise((resolve) => setTimeout(resolve, milliseconds)))

/** The clock that all processes share, in milliseconds: no two things happen at the same time. */
let time = 1_000_000
const clock = (): number => {
  time += 0.001
  return time
}
const pass = (milliseconds: number) =>
  Effect.sync(() => {
    time += milliseconds
  })

/** A database in a folder of its own. */
const database = Effect.tap(temporaryFileInMemory, (file) =>
  Effect.sync(() => writeFileSync(file, "", { mode: 0o600 }))
)

/** A process in the queue of a database, which counts how often it was woken. */
const processOf = (file: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const woken: { times: number; next: () => void } = { times: 0, next: () => {} }
        const onWake = () => {
          woken.times++
          woken.next()
        }
        const queue = new LockQueue(file, onWake, clock)
        return { queue, woken }
      }),
      ({ queue }) => Effect.sync(() => queue.close())
    ),
    ({ queue, woken }) => ({
      queue,
      times: () => woken.times,
      wake: Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            if (woken.times > 0) resolve()
            woken.next = resolve
          })
      )
    })
  )

/** A process that does not wait, and can wake others. */
const holderOf = (file: string) =>
  Effect.tap(processOf(file), ({ queue }) =>
    Effect.sync(() => {
      queue.enter()
      queue.leave()
    })
  )

describe("given processes that wait for the lock", () => {
  it.live("when another one releases it, then only the one that has waited longest is woken", () =>
    Effect.gen(function* () {
      const file = yield* database
      const [first, second] = [yield* processOf(file), yield* processOf(file)]
      first.queue.enter()
      second.queue.enter()
      // To enter again does not change since when one waits.
      first.queue.enter()
      const holder = yield* holderOf(file)
      assert.isTrue(holder.queue.wakeFirst())
      yield* first.wake
      yield* sleep(20)
      assert.deepStrictEqual([first.times(), second.times(), holder.times()], [1, 0, 0])
    })
  )

  it.live("when that one has taken the lock, then the next is woken, and nobody once all have", () =>
    Effect.gen(function* () {
      const file = yield* database
      const [first, second] = [yield* processOf(file), yield* processOf(file)]
      first.queue.enter()
      second.queue.enter()
      first.queue.leave()
      assert.isTrue(first.queue.wakeFirst())
      yield* second.wake
      second.queue.leave()
      assert.isFalse(first.queue.wakeFirst())
      assert.isFalse(second.queue.wakeFirst())
    })
  )

  it.live("when one has not entered again for long, then it is not woken: it may have been killed", () =>
    Effect.gen(function* () {
      const file = yield* database
      const [first, second] = [yield* processOf(file), yield* processOf(file)]
      first.queue.enter()
      yield* pass(100)
      second.queue.enter()
      const holder = yield* holderOf(file)
      assert.isTrue(holder.queue.wakeFirst())
      yield* second.wake
      yield* sleep(20)
      assert.strictEqual(first.times(), 0)
    })
  )

  it.live("then a process relies on being woken only while others are active", () =>
    Effect.gen(function* () {
      const file = yield* database
      const waiting = yield* processOf(file)
      waiting.queue.enter()
      assert.isFalse(waiting.queue.willBeWoken)
      yield* holderOf(file)
      assert.isTrue(waiting.queue.willBeWoken)
      yield* pass(100)
      assert.isFalse(waiting.queue.willBeWoken)
    })
  )

  it.live("then forty of them are woken one after the other", () =>
    Effect.gen(function* () {
      const file = yield* database
      const processes = yield* Effect.all(Array.from({ length: 40 }, () => processOf(file)))
      const holder = yield* holderOf(file)
      for (const { queue } of processes) queue.enter()
      for (const { queue, times, wake } of processes) {
        assert.strictEqual(times(), 0)
        // What a process does when it tries for the lock now and then.
        for (const other of processes) if (other.times() === 0) other.queue.enter()
        assert.isTrue(holder.queue.wakeFirst())
        yield* wake
        queue.leave()
      }
    })
  )

  it.live("when two have found the same place at the same time, then one of them takes another place", () =>
    Effect.gen(function* () {
      const file = yield* database
      const one = yield* processOf(file)
      one.queue.enter()
      // Another one writes over the place.
      const list = `${file}-turns/list`
      const places = new Float64Array(new Uint8Array(readFileSync(list)).buffer)
      const wakeFile = places.findIndex((number, index) => index % 3 === 2 && number !== 0)
      places[wakeFile] = 1
      writeFileSync(list, places)
      assert.isTrue(one.queue.willBeWoken)
      one.queue.enter()
      const holder = yield* holderOf(file)
      assert.isTrue(holder.queue.wakeFirst())
    })
  )
})

describe("given the folder of the queue", () => {
  const folderOf = (file: string) => `${file}-turns`

  it.effect("then nobody can read it who cannot read the database", () =>
    Effect.gen(function* () {
      const file = yield* database
      const { queue } = yield* processOf(file)
      queue.enter()
      assert.strictEqual(statSync(folderOf(file)).mode & 0o777, 0o700)
      const modes = readdirSync(folderOf(file)).map((name) => statSync(`${folderOf(file)}/${name}`).mode & 0o777)
      assert.deepStrictEqual(modes, [0o600, 0o600])
    })
  )

  it.effect("then everybody can use it who can use the database, whatever the umask", () =>
    Effect.gen(function* () {
      const file = yield* database
      chmodSync(file, 0o666)
      const { queue } = yield* processOf(file)
      queue.enter()
      assert.strictEqual(statSync(folderOf(file)).mode & 0o777, 0o777)
      const modes = readdirSync(folderOf(file)).map((name) => statSync(`${folderOf(file)}/${name}`).mode & 0o777)
      assert.deepStrictEqual(modes, [0o666, 0o666])
    })
  )

  it.effect("when a process closes, then its file is removed, and the folder with the last one", () =>
    Effect.gen(function* () {
      const file = yield* database
      const [one, other] = [yield* processOf(file), yield* processOf(file)]
      one.queue.enter()
      other.queue.enter()
      one.queue.close()
      assert.strictEqual(readdirSync(folderOf(file)).length, 2)
      other.queue.close()
      assert.isUndefined(statSync(folderOf(file), { throwIfNoEntry: false }))
    })
  )

  it.live("when the last process has not waited for a second and others have closed, then the folder is removed", () =>
    Effect.gen(function* () {
      const file = yield* database
      const [one, other] = [yield* processOf(file), yield* processOf(file)]
      one.queue.enter()
      one.queue.leave()
      other.queue.enter()
      other.queue.close()
      assert.isTrue(existsSync(folderOf(file)))
      yield* pass(1_000)
      assert.isFalse(one.queue.wakeFirst())
      assert.isFalse(existsSync(folderOf(file)))
    })
  )

  it.effect("when it cannot be used, then nobody is woken, and nothing fails", () =>
    Effect.gen(function* () {
      const file = yield* database
      writeFileSync(folderOf(file), "in the way")
      const [one, other] = [yield* processOf(file), yield* processOf(file)]
      one.queue.enter()
      other.queue.enter()
      assert.isFalse(other.queue.willBeWoken)
      assert.isFalse(one.queue.wakeFirst())
      one.queue.leave()
      one.queue.close()
      assert.strictEqual(statSync(folderOf(file)).size, "in the way".length)
    })
  )

  it.live("when it cannot be used for a while, then a process uses it later", () =>
    Effect.gen(function* () {
      const file = yield* database
      writeFileSync(folderOf(file), "in the way")
      const { queue } = yield* processOf(file)
      queue.enter()
      rmSync(folderOf(file))
      queue.enter()
      assert.isFalse(existsSync(folderOf(file)))
      yield* pass(1_000)
      queue.enter()
      assert.isTrue(existsSync(folderOf(file)))
    })
  )

  it.live("when it is removed, then processes that wait again make it again and wake each other", () =>
    Effect.gen(function* () {
      const file = yield* database
      const [one, other] = [yield* processOf(file), yield* processOf(file)]
      for (const { queue } of [one, other]) queue.enter()
      rmSync(folderOf(file), { recursive: true })
      for (const { queue } of [one, other]) queue.leave()
      for (const { queue } of [one, other]) queue.enter()
      assert.strictEqual(readdirSync(folderOf(file)).length, 3)
      other.queue.leave()
      assert.isTrue(other.queue.wakeFirst())
      yield* one.wake
    })
  )

  it.live("when it is removed while processes wait, then they go on, and later ones make it again", () =>
    Effect.gen(function* () {
      const file = yield* database
      const one = yield* processOf(file)
      one.queue.enter()
      rmSync(folderOf(file), { recursive: true })
      const [other, third] = [yield* processOf(file), yield* processOf(file)]
      other.queue.enter()
      third.queue.enter()
      one.queue.leave()
      one.queue.close()
      assert.strictEqual(readdirSync(folderOf(file)).length, 3)
      third.queue.leave()
      assert.isTrue(third.queue.wakeFirst())
      yield* other.wake
    })
  )

  it.effect("when every place is taken, then a further process is not in the queue", () =>
    Effect.gen(function* () {
      const file = yield* database
      for (let n = 0; n < 64; n++) (yield* processOf(file)).queue.enter()
      const { queue } = yield* processOf(file)
      queue.enter()
      assert.isFalse(queue.willBeWoken)
      assert.isFalse(queue.wakeFirst())
    })
  )
})
