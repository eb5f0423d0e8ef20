import { assert, describe, it } from "@effect/vitest"
import { lazyObjects } from "./lazyObjects.ts"

describe("given objects whose properties are made when they are read", () => {
  it("then each makes its own, once, and has them on a prototype that all share", () => {
    const made: Array<string> = []
    const make = lazyObjects<string, { readonly name: () => string; readonly length: number }>(
      {
        name: (owner) => {
          made.push(owner)
          return () => owner
        },
        length: (owner) => owner.length
      },
      (prototype) => Object.setPrototypeOf(prototype, { other: "beneath" })
    )
    const [ada, grace] = [make("Ada"), make("Grace")]
    assert.deepStrictEqual(made, [])
    const { name } = ada
    assert.strictEqual(name(), "Ada")
    assert.strictEqual(ada.name, name)
    assert.strictEqual(grace.name(), "Grace")
    assert.deepStrictEqual(made, ["Ada", "Grace"])
    assert.strictEqual(grace.length, 5)
    assert.isTrue("length" in ada && "other" in ada)
    // A proxy, as of a library that records calls, has them too.
    assert.strictEqual(new Proxy(ada, {}).name(), "Ada")
  })

  it("then their properties are their own, for who copies, lists or replaces them", () => {
    const make = lazyObjects<string, { name: () => string; readonly length: number }>({
      name: (owner) => () => owner,
      length: (owner) => owner.length
    })
    const ada = make("Ada")
    const { length, ...rest } = ada
    assert.deepStrictEqual([{ ...ada }.name(), length, rest.name(), Object.keys(rest)], ["Ada", 3, "Ada", ["name"]])
    assert.deepStrictEqual(Reflect.ownKeys(ada), ["name", "length"])
    ada.name = () => "Grace"
    assert.deepStrictEqual([ada.name(), make("Ada").name()], ["Grace", "Ada"])
  })

  it("when callers add or define properties, then copies have these, too", () => {
    const make = lazyObjects<string, { name: () => string }>({ name: (owner) => () => owner })
    const ada = Object.assign(make("Ada"), { note: "hers" })
    assert.deepStrictEqual([{ ...ada }.note, Object.keys(ada)], ["hers", ["name", "note"]])
    Object.defineProperty(ada, "name", { value: () => "Grace" })
    assert.deepStrictEqual([ada.name(), Object.keys(ada)], ["Grace", ["note"]])
  })

  it("when an object has one as its prototype, then what it replaces stays its own", () => {
    const ada = lazyObjects<string, { name: () => string }>({ name: (owner) => () => owner })("Ada")
    const child: typeof ada = Object.create(ada)
    assert.strictEqual(child.name(), "Ada")
    child.name = () => "Grace"
    assert.deepStrictEqual([child.name(), ada.name()], ["Grace", "Ada"])
  })
})
