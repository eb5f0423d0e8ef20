import { assert, describe, it } from "@effect/vitest"
import { inTurn } from "./inTurn.ts"

/** An object with a method of its own, one of an object in it, and a field. */
class Named {
  readonly orders = Object.freeze({ place: (id: number) => `${this.name} places ${id}` })
  readonly name: string

  constructor(name: string) {
    this.name = name
  }

  close() {
    return `${this.name} closes`
  }
}

describe("inTurn", () => {
  it("given two objects, every other call goes to the second one, with its arguments and as its method", () => {
    const both = inTurn([new Named("a"), new Named("b")])
    assert.deepStrictEqual([both.close(), both.close(), both.close()], ["a closes", "b closes", "a closes"])
    assert.strictEqual(both.name, "a")
  })

  it("given objects in them, their calls take turns too", () => {
    const { orders } = inTurn([Object.freeze(new Named("a")), Object.freeze(new Named("b"))])
    assert.deepStrictEqual([orders.place(1), orders.place(2)], ["a places 1", "b places 2"])
  })
})
