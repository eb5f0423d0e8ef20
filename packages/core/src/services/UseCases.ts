import type * as Effect from "effect/Effect"
import type { PetstoreError } from "../domain/errors/PetstoreError.ts"
import type { OperationName } from "../domain/methodInputs.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { ChangeOptions, Done, ReserveOptions } from "./Options.ts"

/** The inputs of a method: its arguments without the options, which come last. */
export type InputsOf<Arguments extends ReadonlyArray<unknown>> = Arguments extends readonly [
  ...infer Inputs,
  options?: unknown
]
  ? Inputs
  : never

/** The options that a method takes in addition to those of every call. */
export type OptionOf<Arguments extends ReadonlyArray<unknown>> =
  Required<Arguments> extends readonly [...unknown[], infer Options] ? Extract<keyof Options, keyof AllOptions> : never

/** The arguments of a method as an effect. It takes no `signal`: effects are interrupted. */
export type EffectArguments<Arguments extends ReadonlyArray<unknown>> = [OptionOf<Arguments>] extends [never]
  ? InputsOf<Arguments>
  : [...InputsOf<Arguments>, options?: UseCaseOptions<OptionOf<Arguments>>]

interface AllOptions extends ChangeOptions, ReserveOptions {}

type UseCaseOptions<Option extends keyof AllOptions> = Pick<AllOptions, Option>

/** The names of the methods that have a use case: all but those that iterate over the pages of a list. */
export type UseCaseName<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: never) => Promise<unknown> ? Name : never
}[keyof Methods]

/**
 * The use cases behind the methods of a group. They take decoded inputs, and those with an idempotency key return a
 * {@link Done}. `Errors` lists for each how it can fail, in addition to {@link StorageError}.
 */
export type UseCases<Methods, Errors extends Readonly<Record<UseCaseName<Methods>, unknown>>> = {
  readonly [Name in UseCaseName<Methods>]: Methods[Name] extends (...args: infer Arguments) => Promise<infer A>
    ? (
        ...args: EffectArguments<Arguments>
      ) => Effect.Effect<"idempotencyKey" extends OptionOf<Arguments> ? Done<A> : A, Errors[Name] | StorageError>
    : never
}

/** A method without the types of its arguments. */
export type UntypedMethod<R> = (...args: ReadonlyArray<unknown>) => R

/** What such a method returns. */
export type UntypedEffect = Effect.Effect<unknown, PetstoreError>

/** Looks up a method by its name. It has no types, because TypeScript cannot follow a loop over names. */
export const methodNamed = (groups: object, name: OperationName): UntypedMethod<UntypedEffect> => {
  const [group = "", method = ""] = name.split(".")
  const found = (groups as Readonly<Record<string, Readonly<Record<string, UntypedMethod<UntypedEffect>>>>>)[group]?.[
    method
  ]
  if (found === undefined) throw new TypeError(`There is no method ${name}`)
  return found
}
