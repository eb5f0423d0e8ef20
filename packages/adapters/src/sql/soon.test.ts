import { afterEach, assert, describe, it, vi } from "vitest"

afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

describe("given a task that should run soon", () => {
  for (const runtime of ["Node.js", "a browser, which has no setImmediate"]) {
    it(`when the runtime is ${runtime}, then it runs once, after microtasks`, async () => {
      if (runtime !== "Node.js") vi.stubGlobal("setImmediate", undefined)
      vi.resetModules()
      const { soon } = await import("./soon.ts")
      const order: Array<string> = []
      const ran = new Promise<void>((resolve) =>
        soon(() => {
          order.push("task")
          resolve()
        })
      )
      await Promise.resolve().then(() => order.push("microtask"))
      assert.deepStrictEqual(order, ["microtask"])
      await ran
      assert.deepStrictEqual(order, ["microtask", "task"])
    })
  }
})
