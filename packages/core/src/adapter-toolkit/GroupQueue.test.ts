import { assert, describe, it } from "@effect/vitest"
import { GroupQueue } from "./GroupQueue.ts"

interface Member {
  readonly name: string
  readonly backgroundSince?: number
}

const caller = (name: string): Member => ({ name })
const background = (name: string, backgroundSince: number): Member => ({ name, backgroundSince })

const queueOf = (...members: ReadonlyArray<Member>) => {
  const queue = new GroupQueue<Member>()
  for (const member of members) queue.add(member)
  return queue
}

const names = (members: ReadonlyArray<Member>) => members.map(({ name }) => name)

describe("a queue of commands for groups", () => {
  it("given background work, then it waits while callers do, but for 5 ms at most", () => {
    const queue = queueOf(background("old", 0), caller("a"), background("new", 3), caller("b"))
    assert.strictEqual(queue.ready, 2)
    assert.deepStrictEqual(names(queue.take(10, 4.9)), ["a", "b"])
    queue.add(caller("c"))
    assert.deepStrictEqual(names(queue.take(10, 5)), ["c", "old"])
    assert.strictEqual(queue.length, 1)
  })

  it("given no callers, then background work does not wait", () => {
    const queue = queueOf(background("x", 0), background("y", 0), background("z", 0))
    assert.strictEqual(queue.ready, 3)
    assert.deepStrictEqual(names(queue.take(2, 0)), ["x", "y"])
    assert.deepStrictEqual(names(queue.take(2, 0)), ["z"])
  })

  it("given more callers than a group takes, then background work that has waited takes a place", () => {
    const queue = queueOf(caller("a"), caller("b"), background("x", 0), caller("c"))
    assert.deepStrictEqual(names(queue.take(2, 5)), ["a", "x"])
    assert.deepStrictEqual(names(queue.take(2, 5)), ["b", "c"])
  })

  it("given few callers and much work that has waited, then each group that can begin takes its part of both", () => {
    const queue = queueOf(
      caller("a"),
      ...["u", "v", "w", "x", "y", "z"].map((name) => background(name, 0)),
      caller("b")
    )
    assert.deepStrictEqual(names(queue.take(100, 5, 2)), ["a", "u", "v", "w"])
    assert.deepStrictEqual(names(queue.take(100, 5, 1)), ["b", "x", "y", "z"])
  })

  it("given more of both than a group takes, then it takes half of each", () => {
    const queue = queueOf(...["x", "y", "z"].map((name) => background(name, 0)), caller("a"), caller("b"), caller("c"))
    assert.deepStrictEqual(names(queue.take(4, 5)), ["a", "x", "b", "y"])
    assert.strictEqual(queue.length, 2)
  })

  it("given members that are put back, then they come first, in their order", () => {
    const queue = queueOf(caller("a"), caller("b"), background("x", 0), caller("c"))
    queue.putBack(queue.take(3, 5))
    assert.strictEqual(queue.length, 4)
    assert.deepStrictEqual(names(queue.take(4, 5)), ["a", "x", "b", "c"])
  })

  it("when some are removed, then the others stay in order", () => {
    const queue = queueOf(caller("a"), background("x", 0), caller("b"), background("y", 0))
    assert.deepStrictEqual(names(queue.remove(({ name }) => name === "a" || name === "y")), ["a", "y"])
    assert.deepStrictEqual(names(queue.take(4, 5)), ["b", "x"])
  })
})
