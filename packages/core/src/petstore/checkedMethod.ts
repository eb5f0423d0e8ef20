import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { testOfField } from "../domain/asIs.ts"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import { Id, isId } from "../domain/Id.ts"
import type { MethodInput } from "../domain/MethodInput.ts"
import { type Validated, validator } from "../domain/validate.ts"
import { ofMethod } from "../domain/violations.ts"
import { map } from "../ports/Direct.ts"
import type { Done } from "../programs/Options.ts"
import type { UntypedEffect, UntypedMethod } from "../programs/UseCase.ts"
import { argumentsCheck, effectCheck, mayTakeIndex } from "./callOptions.ts"

type Fields = Readonly<Record<string, unknown>>

type PathSchema = (MethodInput["path"] & {})[string]

/** Checks one argument, and decodes it for the use case. */
type Reader = (argument: unknown) => Validated<unknown>

const fieldOf =
  (name: string) =>
  (decoded: unknown): unknown =>
    (decoded as Fields)[name]

const pathReader = ([name, schema]: readonly [string, PathSchema]): Reader => {
  const read = validator(Schema.Struct({ [name]: schema }))
  const decode: Reader = (id) => Result.map(read("", { [name]: id }), fieldOf(name))
  // To read an id through its schema takes longer than to read its row from memory.
  return schema === Id ? (id) => (isId(id) ? Result.succeed(id) : decode(id)) : decode
}

const kindReader = (kind: MethodInput["kind"] & {}): Reader => {
  const read = validator(Schema.Struct({ kind }))
  return (value) => Result.map(read("", { kind: value }), fieldOf("kind"))
}

const bodyReader = (body: MethodInput["body"] & {}, { bodyIsOptional, field }: MethodInput): Reader => {
  const read: (place: "/body", body: unknown) => Validated<unknown> = validator(body)
  if (field !== undefined) {
    const decode: Reader = (value) => Result.map(read("/body", { [field]: value }), fieldOf(field))
    const isKept = testOfField(body, field)
    return (value) => (isKept(value) ? Result.succeed(value) : decode(value))
  }
  return bodyIsOptional === true ? (value = {}) => read("/body", value) : (value) => read("/body", value)
}

const queryReader = (query: MethodInput["query"] & {}): Reader => {
  const read: (place: "/query", query: unknown) => Validated<unknown> = validator(query)
  return (value = {}) => read("/query", value)
}

const readersOf = (input: MethodInput): ReadonlyArray<Reader> => [
  ...(input.kind === undefined ? [] : [kindReader(input.kind)]),
  ...Object.entries(input.path ?? {}).map(pathReader),
  ...(input.body === undefined ? [] : [bodyReader(input.body, input)]),
  ...(input.query === undefined ? [] : [queryReader(input.query)])
]

const violationsOf = (input: Validated<unknown>) => (Result.isFailure(input) ? input.failure : [])

const doneValue = (done: unknown) => (done as Done<unknown>).value

/**
 * Checks all inputs of a call together and runs its use case, or fails with the argument that is missing or with every violation. Dies
 * for options that it does not take.
 */
export const checkedMethod = (
  name: string,
  input: MethodInput,
  useCase: UntypedMethod<UntypedEffect>
): UntypedMethod<UntypedEffect> => {
  const takesOptions = input.options !== undefined
  const takesIndex = mayTakeIndex(input)
  const check = effectCheck(name, input)
  const lacks = argumentsCheck(name, input)
  const explained = ofMethod(name, Object.keys(input.options ?? {}))
  const refused = (args: ReadonlyArray<unknown>, ...decoded: ReadonlyArray<Validated<unknown>>) =>
    lacks(args) ?? Effect.fail(ValidationFailed.of(decoded.flatMap(violationsOf).map(explained)))
  const refusalOf = (options: unknown, more: ReadonlyArray<unknown>) =>
    more.length === 0 && (options === undefined || (takesIndex && typeof options !== "object"))
      ? undefined
      : check(options, more)
  const readers = readersOf(input)
  const [first, second] = readers
  if (first === undefined) throw new TypeError("A method takes an input")
  const perform: UntypedMethod<UntypedEffect> =
    input.options?.idempotencyKey === true ? (...args) => map(useCase(...args), doneValue) : useCase
  // Written out for one and two inputs, because nearly every call passes here.
  if (second === undefined) {
    return (argument, options, ...more) => {
      const refusal = refusalOf(options, more)
      if (refusal !== undefined) return refusal
      const decoded = first(argument)
      return Result.isSuccess(decoded)
        ? perform(decoded.success, takesOptions ? (options ?? undefined) : undefined)
        : refused([argument], decoded)
    }
  }
  if (readers.length > 2) {
    return (...args) => {
      const refusal = refusalOf(args[readers.length], args.slice(readers.length + 1))
      if (refusal !== undefined) return refusal
      const decoded = readers.map((read, index) => read(args[index]))
      return decoded.every(Result.isSuccess)
        ? perform(...decoded.map(Result.getOrUndefined), takesOptions ? (args[readers.length] ?? undefined) : undefined)
        : refused(args, ...decoded)
    }
  }
  return (argument, other, options, ...more) => {
    const refusal = refusalOf(options, more)
    if (refusal !== undefined) return refusal
    const decoded = first(argument)
    const decodedOther = second(other)
    return Result.isSuccess(decoded) && Result.isSuccess(decodedOther)
      ? perform(decoded.success, decodedOther.success, takesOptions ? (options ?? undefined) : undefined)
      : refused([argument, other], decoded, decodedOther)
  }
}
