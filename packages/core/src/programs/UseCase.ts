import type * as Effect from "effect/Effect"
import type { catalogue } from "../domain/errors/catalogue.ts"
import type { ErrorCode } from "../domain/errors/ErrorCode.ts"
import type { InvalidCursor, ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { PetstoreError } from "../domain/errors/PetstoreError.ts"
import type { PreconditionFailed } from "../domain/errors/RequestErrors.ts"
import type { MethodInput } from "../domain/MethodInput.ts"
import type { MethodName, methodInputs } from "../domain/methodInputs.ts"
import type { IncludeOption } from "../domain/records/IncludedRecord.ts"
import type { RuleRefusal } from "../domain/rules/RuleRefusal.ts"
import type { Failed, Waiting, Yielded } from "../kernel/Command.ts"
import type { CommandName } from "../ports/Storage.ts"
import type { StorageError } from "../ports/StorageError.ts"
import type { Acting, Call, Reading } from "./Call.ts"
import type { IdempotencyError } from "./idempotency/once.ts"
import type { RepeatableCommand, ResultOf } from "./idempotency/resultSchemas.ts"
import type { CancelOptions, Done, ReserveOptions } from "./Options.ts"

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

interface AllOptions extends CancelOptions, ReserveOptions, IncludeOption {}

type UseCaseOptions<Option extends keyof AllOptions> = Pick<AllOptions, Option>

/** The names of the methods that have a use case: all but those that iterate over the pages of a list. */
export type UseCaseName<Methods> = {
  [Name in keyof Methods]: Methods[Name] extends (...args: never) => Promise<unknown> ? Name : never
}[keyof Methods]

type Inputs = typeof methodInputs

type InputNamed<Name> = Name extends `${infer Group extends keyof Inputs}.${infer Method}`
  ? Method extends keyof Inputs[Group]
    ? Inputs[Group][Method]
    : never
  : never

type Implied<Input> = Input extends unknown
  ?
      | (Input extends { readonly query: unknown } ? InvalidCursor : never)
      | (Input extends { readonly options: { readonly idempotencyKey: true } } ? IdempotencyError : never)
      | (Input extends { readonly options: { readonly ifVersion: true } } ? PreconditionFailed : never)
      | (Input extends { readonly hostRules: true } ? RuleRefusal : never)
  : never

type Declared<Input> = Input extends { readonly errors: ReadonlyArray<infer Code extends ErrorCode> }
  ? InstanceType<(typeof catalogue)[Code]>
  : never

/** How a method can fail: with what is declared beside its input, and with what its inputs and options imply. */
export type ErrorsOf<Input> = Input extends MethodInput
  ? StorageError | ValidationFailed | Implied<Input> | Declared<Input>
  : StorageError

/** A use case that reads: a program on rows of one state of the store. */
export type Query = (reading: Reading, ...inputs: never) => Generator<Yielded, unknown, unknown>

/** A use case that changes the store: a program that is one transaction. */
export type Command = (call: Call, ...inputs: never) => Generator<Yielded, unknown, unknown>

/** A use case that does something beside its programs: it sends a request, or wakes what waits for its commit. */
export type Action = (acting: Acting, ...inputs: never) => Effect.Effect<unknown, PetstoreError>

export type Kind = "query" | "command" | "action"

export type Program = (at: never, ...inputs: never) => unknown

/** A use case, and what the layers around it know of it. Its inputs are decoded already, and the options come last. */
export interface UseCase<Name extends CommandName = CommandName, P extends Program = Program> {
  readonly name: Name
  readonly kind: Kind
  /** Whether it takes an idempotency key. Its result is a {@link Done} then. */
  readonly isRepeatable: boolean
  /** Whether it returns nothing, although an id is kept for repetitions. */
  readonly isDeletion: boolean
  readonly program: P
}

/** What the program of a use case takes behind what it runs on. */
export type ArgumentsOf<P> = P extends (at: never, ...inputs: infer Arguments) => unknown ? Arguments : never

type Returned<P> = P extends (...args: never) => Generator<unknown, infer A, unknown>
  ? A
  : P extends (...args: never) => Effect.Effect<infer A, infer _>
    ? A
    : never

/** The result of a call of a use case. A deletion returns nothing, although its id is kept. */
export type Outcome<Name, P> =
  InputNamed<Name> extends { readonly options: { readonly idempotencyKey: true } }
    ? keyof Returned<P> extends "id"
      ? Done<void>
      : Done<Returned<P>>
    : Returned<P>

/** How a call of a use case can fail. */
export type FailureOfUseCase<Name> = ErrorsOf<InputNamed<Name>>

type ProgramFor<Name, Arguments extends ReadonlyArray<unknown>, A> = (
  at: never,
  ...args: EffectArguments<Arguments>
) =>
  | Generator<
      Failed<FailureOfUseCase<Name>> | Waiting<unknown>,
      Name extends RepeatableCommand ? A & ResultOf<Name> : A,
      unknown
    >
  | Effect.Effect<A, FailureOfUseCase<Name>>

type ProgramOf<Name, Method> = Method extends (...args: infer Arguments) => Promise<void>
  ? ProgramFor<Name, Arguments, unknown>
  : Method extends (...args: infer Arguments) => Promise<infer A>
    ? ProgramFor<Name, Arguments, A>
    : never

/** The use cases of the methods of a group: each with the inputs, the result and the errors of its method. */
export type UseCasesOf<Group extends keyof Inputs, Methods> = {
  readonly [Name in UseCaseName<Methods>]: UseCase<
    Extract<`${Group}.${Name & string}`, MethodName>,
    ProgramOf<`${Group}.${Name & string}`, Methods[Name]>
  >
}

/** A method without the types of its arguments. */
export type UntypedMethod<R> = (...args: ReadonlyArray<unknown>) => R

/** What such a method returns. */
export type UntypedEffect = Effect.Effect<unknown, PetstoreError>
