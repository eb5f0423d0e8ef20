import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import express from "express"
import { gatedStorage } from "../support/GatedStorage.ts"
import { listening } from "../support/listening.ts"
import { opened, sendingTo } from "../support/mounts.ts"

const run = promisify(execFile)

/** What a process has that a guest must not touch, before and after it had one; it must end by itself. */
const script = `
const look = () => ({
  globals: Reflect.ownKeys(globalThis).map(String).sort(),
  values: ["fetch", "Request", "Response", "setTimeout", "Promise", "Date", "console", "crypto"].map((name) => globalThis[name]),
  listeners: process.eventNames().map((name) => [String(name), process.listenerCount(name)]).sort()
})
look() // Node makes what its Fetch keeps when that is first looked at.
const before = look()
const { createPetstore } = await import("@petstore/core")
const { createHandler } = await import("@petstore/http")
const petstore = await createPetstore()
const handler = createHandler(petstore)
const statuses = []
for (const path of ["/health/live", "/v1/pets", "/openapi.json", "/docs"]) {
  statuses.push((await handler.fetch(new Request("http://shop.example" + path))).status)
}
const during = look()
await handler.close()
await petstore.close()
const after = look()
const same = (other) => before.values.every((value, index) => value === other.values[index])
console.log(JSON.stringify({ statuses, same: same(during) && same(after), before, during, after }))
`

interface Look {
  readonly globals: ReadonlyArray<string>
  readonly listeners: ReadonlyArray<readonly [string, number]>
}

describe("a petstore in a host application's process", () => {
  it("given a process, when it uses and closes a petstore, then globals and process listeners are as before, and the process ends", async () => {
    const { stdout } = await run(process.execPath, [
      "--conditions=@petstore/source",
      "--input-type=module",
      "--eval",
      script
    ])
    const { after, before, during, same, statuses } = JSON.parse(stdout) as {
      readonly statuses: ReadonlyArray<number>
      readonly same: boolean
      readonly before: Look
      readonly during: Look
      readonly after: Look
    }
    assert.deepStrictEqual(statuses, [200, 401, 200, 200])
    assert.isTrue(same)
    for (const look of [during, after]) {
      const added = look.globals.filter((name) => !before.globals.includes(name))
      // Where Effect keeps the running fiber, for all that share it.
      assert.deepStrictEqual(added, ["~effect/Fiber/currentFiber"])
      assert.includeMembers([...look.globals], [...before.globals])
      assert.deepStrictEqual(look.listeners, before.listeners)
    }
  })

  it.effect(
    "given two of them in one app, then neither knows the pets or keys of the other, and closing one leaves the other",
    () =>
      Effect.gen(function* () {
        const [cats, dogs] = [yield* opened({ mountPath: "/cats" }), yield* opened({ mountPath: "/dogs" })]
        const app = express().use("/cats", cats.handler.node).use("/dogs", dogs.handler.node)
        const send = sendingTo(yield* listening(app))
        const made = yield* send("POST", "/cats/v1/categories", { body: { name: "Cats" } })
        assert.strictEqual(made.headers.get("location"), "/cats/v1/categories/1")
        assert.deepStrictEqual((yield* send("GET", "/dogs/v1/categories")).body, [])

        const account = yield* Effect.promise(() => cats.petstore.accounts.create({ name: "Shop" }))
        const { key } = yield* Effect.promise(() =>
          cats.petstore.apiKeys.create({ accountId: account.id, name: "till", scopes: ["admin"] })
        )
        assert.strictEqual((yield* send("GET", "/cats/v1/categories", { key })).status, 200)
        assert.strictEqual((yield* send("GET", "/dogs/v1/categories", { key })).status, 401)

        yield* Effect.promise(() => cats.handler.close())
        assert.strictEqual((yield* send("GET", "/cats/v1/categories")).status, 503)
        assert.strictEqual((yield* send("GET", "/dogs/v1/categories")).status, 200)
      })
  )

  it.effect(
    "given a request that has begun, when the handler closes, then it gets its response, new ones are rejected, and the app keeps running",
    () =>
      Effect.gen(function* () {
        const { adapter, committing } = gatedStorage()
        const { handler, petstore } = yield* opened({ mountPath: "/petstore" }, { storage: adapter })
        const app = express().use("/petstore", handler.node)
        app.get("/", (_request, response) => void response.send("the shop"))
        const send = sendingTo(yield* listening(app))
        yield* committing.close
        const path = "/petstore/v1/categories"
        const begun = yield* Effect.forkChild(send("POST", path, { body: { name: "Cats" } }), {
          startImmediately: true
        })
        yield* committing.holds(1)
        let closed = false
        const closing = handler.close().then(() => {
          closed = true
        })
        const refused = yield* send("POST", path, { body: { name: "Dogs" } })
        assert.deepInclude(refused.body, { code: "shutting_down", status: 503 })
        assert.strictEqual((yield* send("GET", "/")).text, "the shop")
        assert.isFalse(closed)
        yield* committing.open
        assert.strictEqual((yield* Fiber.join(begun)).status, 201)
        yield* Effect.promise(() => closing)
        const { items } = yield* Effect.promise(() => petstore.categories.list())
        assert.deepStrictEqual(
          items.map(({ name }) => name),
          ["Cats"]
        )
      })
  )
})
