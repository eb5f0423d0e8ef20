import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { createPetstore, type PetstoreApi, PetstoreError } from "@petstore/core"
import { createClient } from "@petstore/http/client"

type Method = (...args: ReadonlyArray<unknown>) => unknown

interface NamedCall {
  readonly name: string
  readonly call: Method
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

const isMethod = (value: unknown): value is Method => typeof value === "function"

/** Every function of a petstore that returns what can be awaited, with its group. */
const callsOf = (petstore: object): ReadonlyArray<NamedCall> =>
  Object.entries(petstore).flatMap(([group, value]) =>
    isMethod(value)
      ? group === "as" || group === "once"
        ? []
        : group === "transaction"
          ? [{ name: group, call: () => value(async () => undefined, { idempotencyKey: "" }) }]
          : [{ name: group, call: value }]
      : isRecord(value)
        ? callsOf(value).map(({ name, call }) => ({ name: `${group}.${name}`, call }))
        : []
  )

/** Calls, and reads lists to their ends. */
async function callAndRead(call: Method, args: ReadonlyArray<unknown>): Promise<unknown> {
  const result = call(...args)
  if (!isRecord(result) || !(Symbol.asyncIterator in result)) return await result
  for await (const _ of result as unknown as AsyncIterable<unknown>) assert.fail("Expected no item")
  return undefined
}

const errorOf = async (call: Method, ...args: ReadonlyArray<unknown>): Promise<unknown> => {
  try {
    await callAndRead(call, args)
  } catch (error) {
    return error
  }
  return assert.fail("Expected a rejection")
}

const source = readFileSync(fileURLToPath(import.meta.url), "utf8").split("\n")

/** Checks that the first frames of a stack, or those behind a list, are lines of this file that wait for the call. */
const assertLeadsHere = (error: unknown): void => {
  if (!(error instanceof PetstoreError)) throw error
  const [header, ...frames] = (error.stack ?? "").split("\n")
  assert.strictEqual(header, `${error.name}: ${error.message}`)
  const frame = frames.slice(0, 2).find((line) => line.includes("callAndRead"))
  const [, line] = /callerStack\.test\.ts:(\d+):\d+\)$/.exec(frame ?? "") ?? assert.fail(error.stack)
  assert.match(source[Number(line) - 1] ?? "", /await/)
}

const unreachable = (): PetstoreApi =>
  createClient({
    baseUrl: "http://pets.example/v1",
    key: "psk_1",
    retries: 0,
    fetch: () => Promise.reject(new Error("no network"))
  })

/** The violation of each call whose only input is -1. */
const wrongInput = -1

/** Calls that take no input, or none that can be wrong in this way. */
const withoutInput = new Set([
  "events.latest",
  "events.subscribe",
  "events.consume",
  "encryptSecrets",
  "retention",
  "stats",
  "statsHistory",
  "session",
  "verify",
  "backup",
  "close"
])

const withListener: Readonly<Record<string, ReadonlyArray<unknown>>> = {
  "events.subscribe": [() => undefined],
  "events.consume": ["invoices", () => undefined]
}

describe("given every call of a petstore in this process", () => {
  it("when its input is invalid, then the stack of the error leads to the line that awaits it", async () => {
    const petstore = await createPetstore()
    const calls = callsOf(petstore).filter(({ name }) => !withoutInput.has(name))
    assert.isAtLeast(calls.length, 39)
    for (const { call } of calls) assertLeadsHere(await errorOf(call, wrongInput))
  })

  it("when the petstore is closed, then the stack of the error leads to the line that awaits it", async () => {
    const petstore = await createPetstore()
    await petstore.close()
    const calls = callsOf(petstore).filter(({ name }) => name !== "close" && name !== "backup")
    assert.isAtLeast(calls.length, 42)
    for (const { call, name } of calls) {
      assertLeadsHere(await errorOf(call, ...(withListener[name] ?? [])))
    }
  })
})

describe("given every call of a client", () => {
  it("when its input is invalid, then the stack of the error leads to the line that awaits it", async () => {
    const calls = callsOf(unreachable()).filter(({ name }) => !withoutInput.has(name))
    assert.isAtLeast(calls.length, 38)
    for (const { call } of calls) assertLeadsHere(await errorOf(call, wrongInput))
  })

  it("when there is no connection, then the stack of the error leads to the line that awaits it", async () => {
    const petstore = unreachable()
    const lists = callsOf(petstore).filter(({ name }) => /\.(?:list|all)$/.test(name))
    assert.isAtLeast(lists.length, 12)
    for (const { call } of lists) assertLeadsHere(await errorOf(call))
    assertLeadsHere(await errorOf(() => petstore.pets.create({ name: "Tom", categoryId: 1 })))
  })
})
