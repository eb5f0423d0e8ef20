import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "vitest"
import { closeMutants } from "./closeMutants.ts"
import { guardMutants } from "./guardMutants.ts"
import { lockMutants } from "./lockMutants.ts"
import type { Mutant } from "./Mutant.ts"
import { mutantsOf } from "./mutantsOf.ts"
import { helpersOf, orderMutants } from "./orderMutants.ts"
import { parse } from "./syntax.ts"

const repository = fileURLToPath(new URL("../..", import.meta.url))

const faults = (mutants: ReadonlyArray<Mutant>): ReadonlyArray<string> => mutants.map(({ fault }) => fault)

const locked = (text: string) => lockMutants("a.ts", text)

const reordered = (text: string) => orderMutants("a.ts", text, helpersOf([parse("a.ts", text)]))

/** The text in one line, without what only separates. */
const plain = (text: string | undefined): string | undefined => text?.replace(/[\s;]+/g, " ").trim()

describe("given a lock", () => {
  it("then it is removed, and weakened in each way that the port has", () => {
    assert.deepStrictEqual(faults(locked("const a = storage.lock(categories, id)")), [
      "storage.lock(categories, id) is removed",
      "storage.lock(categories, id) becomes storage.find(categories, id)",
      "storage.lock(categories, id) becomes storage.lock(categories, id, true)"
    ])
    assert.deepStrictEqual(faults(locked("this.storage.lock(categories, id, true)")), [
      "this.storage.lock(categories, id, true) is removed",
      "this.storage.lock(categories, id, true) becomes this.storage.find(categories, id, true)"
    ])
    assert.deepStrictEqual(faults(locked("store.claim(due, now, 9)")), [
      "store.claim(due, now, 9) is removed",
      "store.claim(due, now, 9) becomes store.select(due, now, 9)"
    ])
  })

  it("then the rest of the source stays the same, across several lines and after wide characters", () => {
    const text = 'const name = "🐈"\nconst a = yield* Effect.flatMap(\n  store\n    .lock(pets, id), found)'
    const [removed, weakened] = lockMutants("a.ts", `function* f() { ${text} }`)
    assert.strictEqual(removed?.line, 3)
    assert.include(
      removed?.text ?? "",
      'const name = "🐈"\nconst a = yield* Effect.flatMap(\n  Effect.succeed(undefined), found)'
    )
    assert.include(weakened?.text ?? "", "Effect.flatMap(\n  store\n    .find(pets, id), found)")
  })

  it("then nothing but calls changes", () => {
    assert.deepStrictEqual(
      locked('const lock = store.find; lock(pets, 1); worker.claim(1); "store.lock(pets, 1)" // store.lock(pets, 1)'),
      []
    )
  })
})

describe("given two locks", () => {
  it("then they are swapped if the second does not depend on the first", () => {
    const [mutant, ...others] = reordered(
      "function* f() { const a = yield* store.lock(orders, 1); yield* store.lock(pets, 2) }"
    )
    assert.strictEqual(mutant?.fault, "store.lock(pets, 2) comes before store.lock(orders, 1)")
    assert.strictEqual(
      plain(mutant?.text),
      "function* f() { yield* store.lock(pets, 2) const a = yield* store.lock(orders, 1) }"
    )
    assert.deepStrictEqual(others, [])
  })

  it("then the first is taken after the second if the second depends on it, which reads the row without a lock", () => {
    const text =
      "function* f() { const a = yield* store.lock(orders, 1); const b = a.petId; yield* store.lock(pets, b) }"
    assert.strictEqual(
      plain(reordered(text)[0]?.text),
      "function* f() { const a = yield* store.find(orders, 1) const b = a.petId yield* store.lock(pets, b) (yield* store.lock(orders, 1)) }"
    )
  })

  it("then locks of helpers and effects of callers count too", () => {
    const text = `
      const lockAll = (ids) => Effect.forEach(ids, (id) => store.lock(pets, id))
      const change = (rule) => Effect.gen(function* () {
        const all = yield* lockAll(ids)
        yield* now
        yield* rule(all)
      })`
    const mutants = reordered(text)
    assert.deepStrictEqual(faults(mutants), [
      "yield* rule(all) comes before lockAll(ids)",
      "ids is gone through backwards"
    ])
    assert.include(
      plain(mutants[0]?.text),
      "const lockAllUnlocked = (ids) => Effect.forEach(ids, (id) => store.find(pets, id))"
    )
    assert.include(
      plain(mutants[0]?.text),
      "const all = yield* lockAllUnlocked(ids) yield* now yield* rule(all) (yield* lockAll(ids))"
    )
  })
})

describe("given a loop that locks", () => {
  it("then it runs backwards, and over what is not sorted", () => {
    const text = "function* lockAll(ids) { for (const id of ids) yield* store.lock(pets, id) }"
    assert.deepStrictEqual(faults(reordered(text)), ["ids is gone through backwards"])
    const sorted = `const lockAll = function* (ids) {
      const all = [...ids].sort((a, b) => a - b)
      for (const id of all) yield* store.lock(pets, id)
    }`
    const [backwards, unsorted] = reordered(sorted)
    assert.include(backwards?.text ?? "", "for (const id of [...all].reverse())")
    assert.include(unsorted?.text ?? "", "const all = [...ids]\n")
  })
})

describe("given a function that locks the smaller of two ids first", () => {
  it("then it locks the larger one first, and the two as they are given", () => {
    const text = "const lockBoth = (a, b) => both(store.lock(pets, Math.min(a, b)), store.lock(pets, Math.max(a, b)))"
    assert.deepStrictEqual(
      reordered(text).map((mutant) => plain(mutant.text)),
      [
        "const lockBoth = (a, b) => both(store.lock(pets, Math.max(a, b)), store.lock(pets, Math.min(a, b)))",
        "const lockBoth = (a, b) => both(store.lock(pets, a), store.lock(pets, b))"
      ]
    )
  })
})

describe("given a close that waits", () => {
  it("then it waits for nothing", () => {
    const text = "const a = { close: () => Promise.all(calls).then(end), open: () => Promise.all(calls) }"
    assert.deepStrictEqual(closeMutants("a.ts", text), [
      {
        file: "a.ts",
        line: 1,
        fault: "close does not wait for Promise.all(calls)",
        text: "const a = { close: () => Promise.resolve().then(end), open: () => Promise.all(calls) }"
      }
    ])
  })
})

describe("given the list of guards", () => {
  it("then each is in its source once, and the source parses without it", async () => {
    const batches = await guardMutants(repository)
    for (const { mutants } of batches) {
      for (const { fault, file, text } of mutants) assert.doesNotThrow(() => parse(file, text), undefined, fault)
    }
  })
})

describe("given the tests of a subject", () => {
  it("then each file exists, and each name by which tests run or do not run is in one of them", async () => {
    for (const { suite } of await guardMutants(repository)) {
      const texts: Array<string> = []
      // The names of a contract are in its cases.
      for (const pattern of [...suite.tests, "packages/core/testing/src/engine/*Cases.ts"]) {
        const files = globSync(pattern, { cwd: repository })
        assert.isAtLeast(files.length, pattern.split(",").length, pattern)
        for (const file of files) texts.push(readFileSync(join(repository, file), "utf8"))
      }
      const names = suite.names?.replace(/^\^\(\?!(?:\.\*)?(.*)\)$/, "$1").split("|") ?? []
      assert.deepStrictEqual(
        names.filter((name) => !texts.some((text) => text.includes(name))),
        []
      )
    }
  })
})

describe("given the sources of core", () => {
  it("then each mutant differs from its source, and parses", async () => {
    const mutants = await mutantsOf(repository)
    for (const { fault, file, text } of mutants) assert.doesNotThrow(() => parse(file, text), undefined, fault)
    assert.strictEqual(new Set(mutants.map(({ text }) => text)).size, mutants.length)
    const kinds = ["is removed", "becomes", "does not wait"]
    for (const kind of kinds)
      assert.isTrue(
        faults(mutants).some((fault) => fault.includes(kind)),
        kind
      )
  })
})
