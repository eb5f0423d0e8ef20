import { assert, describe, it } from "@effect/vitest"
import { consumerInputs } from "@petstore/core/domain"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import {
  assertNamesMissing,
  assertRejectsOptions,
  otherMethods,
  rejectionOf,
  resourceMethods
} from "../../../core/test/support/wrongOptions.ts"
import { createClient } from "./createClient.ts"
import { HttpPetstore } from "./HttpPetstore.ts"

let requests = 0
const options = {
  baseUrl: "http://localhost/v1",
  key: "k",
  retries: 0,
  fetch: () => {
    requests++
    return Promise.resolve(new Response("{}", { status: 500, headers: { "content-type": "application/json" } }))
  }
}

const failureOf = async (call: () => unknown): Promise<unknown> => {
  const result: unknown = call()
  const effect = Effect.isEffect(result) ? result : Stream.runDrain(result as Stream.Stream<unknown>)
  const exit = await Effect.runPromiseExit(effect as Effect.Effect<unknown>)
  return Exit.isSuccess(exit) ? undefined : Cause.squash(exit.cause)
}

const ofEvents = { "events.latest": 0, "events.list": 1, "events.all": 1, "events.stream": 1 }

describe("given options behind those of a client", () => {
  it("when it is made, then a TypeError says what to write", () => {
    const make: (...args: ReadonlyArray<never>) => unknown = createClient
    assert.throws(
      () => make(options as never, { key: "k" } as never),
      /ignored an object. Write createClient\({ baseUrl, key }\)/
    )
  })
})

describe("given a call of a client without an argument", () => {
  it("when it is a promise or an effect, then it fails, and shows what to write", async () => {
    await assertNamesMissing(createClient(options), rejectionOf)
    await assertNamesMissing(createClient(options), rejectionOf, { "events.consumers": consumerInputs })
    const context = await Effect.runPromise(Effect.scoped(Layer.build(HttpPetstore.layer(options))))
    await assertNamesMissing(Context.get(context, HttpPetstore), failureOf)
    assert.strictEqual(requests, 0)
  })
})

describe("given options that a method of a client does not take", () => {
  it("when it gets one, then it rejects, names its own options, and sends nothing", async () => {
    const client = createClient(options)
    await assertRejectsOptions(resourceMethods(client, ["signal"]), rejectionOf)
    await assertRejectsOptions(otherMethods(client, ofEvents, ["signal"]), rejectionOf)
  })

  it("when it is a method as an effect, then it dies", async () => {
    const context = await Effect.runPromise(Effect.scoped(Layer.build(HttpPetstore.layer(options))))
    const client = Context.get(context, HttpPetstore)
    await assertRejectsOptions(resourceMethods(client, []), failureOf)
    await assertRejectsOptions(
      otherMethods(client, { "events.list": 1, "events.all": 1, "events.stream": 1 }, []),
      failureOf
    )
    assert.isAbove(requests, 0)
  })
})
