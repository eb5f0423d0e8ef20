import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { InvalidIdempotencyKey } from "../domain/errors/InputErrors.ts"
import type { PetstoreError } from "../domain/errors/PetstoreError.ts"
import type { MethodInput } from "../domain/MethodInput.ts"
import type { Page } from "../domain/Page.ts"
import type { PageQuery } from "../domain/PageQuery.ts"
import type { CallOptions, CreateOptions } from "../programs/Options.ts"
import type { UntypedEffect, UntypedMethod } from "../programs/UseCase.ts"
import { withCallerStack } from "./callerStack.ts"
import type { OptionsCheck } from "./callOptions.ts"
import type { EffectApi } from "./EffectMethods.ts"
import type { PropertyMakers } from "./lazyObjects.ts"
import { inputCount, mapGroup, mapMethods, methodNamed, methodsFor } from "./methods.ts"
import type { ResourceMethods } from "./PetstoreApi.ts"

/** Runs one call; an aborted signal interrupts it. A call that ends at once may return its exit without a promise. */
export type RunExit = <A, E>(
  effect: Effect.Effect<A, E>,
  options: { readonly signal?: AbortSignal; readonly uninterruptible?: boolean }
) => Exit.Exit<A, unknown> | Promise<Exit.Exit<A, unknown>>

/** Runs a method with the options of its call. */
export type RunMethod<Options extends CallOptions> = <A, E>(
  method: Effect.Effect<A, E>,
  options: Options | undefined
) => Promise<A>

const noOptions = {}

/**
 * Runs the effect that `prepare` returns as a promise, which rejects with its error, or with the signal's reason if the
 * signal cancelled the call. Return this promise itself to the caller, so that the stacks of errors lead there.
 */
export const runCall = async <A, E>(
  runExit: RunExit,
  prepare: () => Effect.Effect<A, E>,
  options?: CallOptions
): Promise<A> => {
  const effect = prepare()
  const signal = options?.signal
  signal?.throwIfAborted()
  const ran = runExit(effect, signal === undefined ? noOptions : { signal })
  // Most calls have ended by now. Only one that failed needs the stack of those that await it.
  if (Exit.isExit(ran) && Exit.isSuccess(ran)) return ran.value
  const exit = await ran
  if (Exit.isSuccess(exit)) return exit.value
  if (signal?.aborted === true && Cause.hasInterruptsOnly(exit.cause)) throw signal.reason
  throw withCallerStack(Cause.squash(exit.cause), runCall)
}

/** Iterates over all items, a page at a time. */
export async function* eachItem<A, Q extends { readonly cursor?: string }>(
  list: (query: Q) => Promise<Page<A>>,
  query: Q
): AsyncGenerator<A> {
  let page = await list(query)
  yield* page.items
  while (page.next !== undefined) {
    page = await list({ ...query, cursor: page.next })
    yield* page.items
  }
}

const eachUntypedItem = (list: (query: PageQuery) => Promise<unknown>, query: PageQuery): AsyncIterable<unknown> =>
  eachItem(list as (query: PageQuery) => Promise<Page<unknown>>, query)

/** Runs a method with its options, or rejects with a TypeError for those that it does not take, or for `more` arguments. */
export const runChecked =
  <Options extends CallOptions>(runMethod: RunMethod<Options>, check: OptionsCheck) =>
  <A, E>(method: Effect.Effect<A, E>, options: Options | undefined, more?: ReadonlyArray<unknown>): Promise<A> => {
    const refusal = check(options, more)
    return refusal === undefined ? runMethod(method, options) : runMethod(refusal, undefined)
  }

/** What the options of a call have for its method, which knows these names. */
const ownOptions = (options: object, names: ReadonlyArray<string>): object => {
  const own: Record<string, unknown> = {}
  for (const name of names) {
    const value: unknown = Reflect.get(options, name)
    if (value !== undefined) own[name] = value
  }
  return own
}

/** Makes methods of the promise API over those that are effects: of each call, `find` returns that for its options. */
const promiseMethod = <Options extends CallOptions>(
  input: MethodInput,
  runMethod: RunMethod<Options>,
  makeCheck: () => OptionsCheck
): ((find: (options?: Options) => UntypedMethod<UntypedEffect>) => UntypedMethod<Promise<unknown>>) => {
  const count = inputCount(input)
  const names = Object.keys(input.options ?? {})
  let check: OptionsCheck | undefined
  const refusalOf = (
    options: (Options & CreateOptions) | null | undefined,
    more: ReadonlyArray<unknown>
  ): Effect.Effect<never, PetstoreError> | undefined => {
    if (input.rejectsKey === true && options?.idempotencyKey !== undefined)
      return Effect.fail(InvalidIdempotencyKey.ofOperation())
    check ??= makeCheck()
    return check(options, more)
  }
  return (find) => {
    let method: UntypedMethod<UntypedEffect> | undefined
    return (...args) => {
      // Most methods are never called.
      method ??= find()
      const options = args[count] as (Options & CreateOptions) | null | undefined
      const isAbsent = options === undefined || options === null
      if (isAbsent && args.length <= count + 1) return runMethod(method(...args), undefined)
      const refusal = refusalOf(options, args.slice(count + 1))
      if (refusal !== undefined) return runMethod(refusal, undefined)
      const inputs = args.slice(0, count)
      if (isAbsent) return runMethod(method(...inputs), undefined)
      if (input.options !== undefined) inputs.push(ownOptions(options, names))
      return runMethod(find(options)(...inputs), options)
    }
  }
}

/** The promise API over the methods of one group, which are effects and take no options of their own. */
export const promiseGroup = <Group>(
  name: string,
  inputs: { readonly [Name in keyof Group]: MethodInput },
  methods: { readonly [Name in keyof Group]: unknown },
  runMethod: RunMethod<CallOptions>,
  checkOf: (name: string, input: MethodInput) => OptionsCheck
): Group =>
  mapGroup<Group, Promise<unknown>>(inputs, (method, input) =>
    promiseMethod(input, runMethod, () => checkOf(`${name}.${method}`, input))(
      () => methods[method] as UntypedMethod<UntypedEffect>
    )
  )

/**
 * The promise API over methods that are effects, each of which `run` runs. `checkOf` makes the check of the options of a method.
 * `instead` are the methods for some options.
 */
export const promiseApi = <Options extends CallOptions>(
  methods: EffectApi<unknown>,
  runMethod: RunMethod<Options>,
  checkOf: (name: string, input: MethodInput) => OptionsCheck,
  instead?: (options: Options) => EffectApi<unknown> | undefined
): ResourceMethods<Options> =>
  mapMethods<ResourceMethods<Options>, Promise<unknown>>(
    (name, input) =>
      promiseMethod(input, runMethod, () => checkOf(name, input))((options?: Options) =>
        methodNamed((options && instead?.(options)) ?? methods, name)
      ),
    eachUntypedItem
  )

/** Says how to make the promise API of an owner, such as a transaction, over its methods that are effects. */
export const promiseApiFor = <Options extends CallOptions, Owner>(
  methodsOf: (owner: Owner) => EffectApi<unknown>,
  runMethod: RunMethod<Options>,
  checkOf: (name: string, input: MethodInput) => OptionsCheck
): PropertyMakers<Owner, ResourceMethods<Options>> =>
  methodsFor<ResourceMethods<Options>, Owner, Promise<unknown>>((name, input) => {
    const methodOver = promiseMethod(input, runMethod, () => checkOf(name, input))
    return (owner) => methodOver(() => methodNamed(methodsOf(owner), name))
  }, eachUntypedItem)
