import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type OptionSchemas, optionsCheck, signalOption } from "../domain/options.ts"
import { shown } from "../domain/shown.ts"
import type { StorageError } from "../ports/StorageError.ts"
import { type keptResults, ranTwice } from "../programs/idempotency/keptResults.ts"
import type { IdempotencyError } from "../programs/idempotency/once.ts"
import { isGiven, surplus } from "./callOptions.ts"
import type { EmbeddedOnceOptions, OnceCallOptions, OnceOptions } from "./OnceMethods.ts"
import type { RunMethod } from "./promiseApi.ts"

/** The same as an effect, in the transaction that is open. */
export type OnceEffect = <A, E, R>(
  key: string,
  body: Effect.Effect<A, E, R>,
  options?: OnceOptions
) => Effect.Effect<A, E | IdempotencyError | StorageError, R>

const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return Array.isArray(value) || prototype === Object.prototype || prototype === null
}

const checkPart = (what: string, value: unknown, path = ""): void => {
  if (["string", "boolean"].includes(typeof value) || value === null || Number.isFinite(value)) return
  if (typeof value !== "object" || !isPlain(value)) {
    const place = path === "" ? "" : ` at ${path}`
    throw new TypeError(`once takes ${what} that is JSON, without ${shown(value)}${place}. Roll back the transaction.`)
  }
  for (const [name, inner] of Object.entries(value)) {
    if (inner !== undefined || Array.isArray(value)) checkPart(what, inner, `${path}/${name}`)
  }
}

/** Throws a TypeError for a value of which JSON would make another one. Fields that are undefined are absent in JSON. */
const checkJson = (what: string, value: unknown): void => {
  // Of a value that contains itself, it throws.
  JSON.stringify(value, (_, inner: unknown) => (typeof inner === "bigint" ? null : inner))
  if (value !== undefined) checkPart(what, value)
}

/** `once` in the transaction in which `call` runs calls. */
export const onceIn =
  (
    results: ReturnType<typeof keptResults>,
    call: <A, E, R>(method: Effect.Effect<A, E, R>) => typeof method
  ): OnceEffect =>
  <A, E, R>(key: string, body: Effect.Effect<A, E, R>, { input }: OnceOptions = {}) =>
    Effect.gen(function* () {
      checkJson("an input", input)
      const known = yield* call(results.find(key, input))
      // As the body has returned it then.
      if (known !== undefined) return known.value as A
      const value = yield* body
      checkJson("a result", value)
      yield* call(results.keep(key, input, value))
      return value
    })

const schemas = { input: Schema.Unknown, signal: signalOption } satisfies OptionSchemas<OnceCallOptions>

/** Checks the options of `once` of a transaction. */
export const checkOnce = (options: OnceCallOptions = {}): OnceCallOptions => checkOptions(options)
const checkOptions = optionsCheck("tx.once", "{ input: cart }", schemas)

const checkEmbedded = optionsCheck("petstore.once", "{ transaction: tx }", {
  ...schemas,
  transaction: Schema.Unknown
} satisfies OptionSchemas<EmbeddedOnceOptions>)

/** Checks the options of `once` of a petstore. */
export const checkEmbeddedOnce = (options: EmbeddedOnceOptions | undefined): EmbeddedOnceOptions => {
  const checked = checkEmbedded<Partial<EmbeddedOnceOptions>>(options ?? {})
  const { transaction } = checked
  if (transaction !== undefined) return { ...checked, transaction }
  throw new TypeError(
    "petstore.once needs the option transaction, which is the open transaction of your app. Without one, call petstore.transaction with the option idempotencyKey."
  )
}

const notRun = { _tag: "NotRun" }

/** `once` with a body that is a function, which runs in the asynchronous context of its caller. */
export const promiseOnce =
  <Options extends OnceCallOptions>(
    runMethod: RunMethod<Options>,
    check: (options: Options | undefined) => Options,
    methodFor: (options: Options) => OnceEffect
  ) =>
  async <A>(key: string, body: () => A | Promise<A>, given?: Options, ...more: ReadonlyArray<unknown>): Promise<A> => {
    const options = check(given)
    if (typeof body !== "function") {
      throw new TypeError(`once takes a function behind the key, such as async () => order, not ${shown(body)}`)
    }
    if (more.some(isGiven)) throw surplus("once", 2, given, more.length)
    const method = methodFor(options)
    const known = await runMethod(
      method(key, Effect.fail(notRun), options).pipe(
        Effect.map((value) => ({ value: value as A })),
        Effect.catchIf(
          (error) => error === notRun,
          () => Effect.undefined
        )
      ),
      options
    )
    if (known !== undefined) return known.value
    const value = await body()
    let isKept = false
    const kept = Effect.sync(() => {
      isKept = true
      return value
    })
    await runMethod(method(key, kept, options), options)
    if (!isKept) throw ranTwice()
    return value
  }
