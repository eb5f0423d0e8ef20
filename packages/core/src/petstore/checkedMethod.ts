import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { MethodInput } from "../domain/MethodInput.ts"
import { type Validated, validator } from "../domain/validate.ts"
import type { Created } from "../services/Options.ts"
import type { UntypedEffect, UntypedMethod } from "../services/UseCases.ts"

type Fields = Readonly<Record<string, unknown>>

/** How one argument is checked, and the value for the use case in what was decoded. */
interface Reader {
  readonly read: (argument: unknown) => Validated<unknown>
  readonly value: (decoded: unknown) => unknown
}

const itself = (decoded: unknown): unknown => decoded
const fieldOf =
  (name: string) =>
  (decoded: unknown): unknown =>
    (decoded as Fields)[name]

const pathReader = (path: MethodInput["path"] & {}): Reader => {
  const [name = ""] = Object.keys(path)
  const read = validator(Schema.Struct(path))
  return { read: (id) => read("/path", { [name]: id }), value: fieldOf(name) }
}

const bodyReader = (body: MethodInput["body"] & {}, { bodyIsOptional, field }: MethodInput): Reader => {
  const read: (place: "/body", body: unknown) => Validated<unknown> = validator(body)
  if (field !== undefined) return { read: (value) => read("/body", { [field]: value }), value: fieldOf(field) }
  if (bodyIsOptional === true) return { read: (value = {}) => read("/body", value), value: itself }
  return { read: (value) => read("/body", value), value: itself }
}

const queryReader = (query: MethodInput["query"] & {}): Reader => {
  const read: (place: "/query", query: unknown) => Validated<unknown> = validator(query)
  return { read: (value = {}) => read("/query", value), value: itself }
}

const readersOf = (input: MethodInput): ReadonlyArray<Reader> => [
  ...(input.path === undefined ? [] : [pathReader(input.path)]),
  ...(input.body === undefined ? [] : [bodyReader(input.body, input)]),
  ...(input.query === undefined ? [] : [queryReader(input.query)])
]

const violationsOf = (input: Validated<unknown>) => (Result.isFailure(input) ? input.failure : [])

const createdValue = (created: unknown) => (created as Created<unknown>).value

/** Checks all inputs of a call together and runs its use case, or fails with every violation. */
export const checkedMethod = (
  input: MethodInput,
  useCase: UntypedMethod<UntypedEffect>
): UntypedMethod<UntypedEffect> => {
  const { option } = input
  const [first, second, ...more] = readersOf(input)
  if (first === undefined || more.length > 0) throw new TypeError("A method takes one or two inputs")
  const perform: UntypedMethod<UntypedEffect> =
    option === "idempotencyKey" ? (...args) => Effect.map(useCase(...args), createdValue) : useCase
  // Written out for one and two inputs, because every call passes here.
  if (second === undefined) {
    return (argument, options) => {
      const decoded = first.read(argument)
      return Result.isSuccess(decoded)
        ? perform(first.value(decoded.success), option && options)
        : Effect.fail(ValidationFailed.of(decoded.failure))
    }
  }
  return (argument, other, options) => {
    const decoded = first.read(argument)
    const decodedOther = second.read(other)
    return Result.isSuccess(decoded) && Result.isSuccess(decodedOther)
      ? perform(first.value(decoded.success), second.value(decodedOther.success), option && options)
      : Effect.fail(ValidationFailed.of([...violationsOf(decoded), ...violationsOf(decodedOther)]))
  }
}
