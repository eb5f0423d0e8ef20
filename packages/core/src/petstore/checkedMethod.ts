import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ValidationFailed } from "../domain/errors/InputErrors.ts"
import type { MethodInput } from "../domain/methodInputs.ts"
import { type Validated, validator } from "../domain/validate.ts"
import type { Created } from "../services/Options.ts"
import type { UntypedEffect, UntypedMethod } from "../services/UseCases.ts"

type Fields = Readonly<Record<string, unknown>>
type Reader = (argument: unknown) => Validated<unknown>

const pathReader = (path: MethodInput["path"] & {}): Reader => {
  const [name = ""] = Object.keys(path)
  const read = validator(Schema.Struct(path))
  return (id) => Result.map(read("/path", { [name]: id }), (decoded) => decoded[name])
}

const bodyReader = (body: MethodInput["body"] & {}, { bodyIsOptional, field }: MethodInput): Reader => {
  const read: (place: "/body", body: unknown) => Validated<unknown> = validator(body)
  if (field !== undefined) {
    return (value) => Result.map(read("/body", { [field]: value }), (decoded) => (decoded as Fields)[field])
  }
  return bodyIsOptional === true ? (value = {}) => read("/body", value) : (value) => read("/body", value)
}

const queryReader = (query: MethodInput["query"] & {}): Reader => {
  const read = validator(query)
  return (value = {}) => read("/query", value)
}

const readersOf = (input: MethodInput): ReadonlyArray<Reader> => [
  ...(input.path === undefined ? [] : [pathReader(input.path)]),
  ...(input.body === undefined ? [] : [bodyReader(input.body, input)]),
  ...(input.query === undefined ? [] : [queryReader(input.query)])
]

const createdValue = (created: unknown) => (created as Created<unknown>).value

/** Checks all inputs of a call together and runs its use case, or fails with every violation. */
export const checkedMethod = (
  input: MethodInput,
  useCase: UntypedMethod<UntypedEffect>
): UntypedMethod<UntypedEffect> => {
  const { option } = input
  const readers = readersOf(input)
  const call: UntypedMethod<UntypedEffect> = (...args) => {
    const inputs: Array<unknown> = []
    const violations = readers.flatMap((read, index) => {
      const value = read(args[index])
      if (Result.isFailure(value)) return value.failure
      inputs.push(value.success)
      return []
    })
    if (violations.length > 0) return Effect.fail(ValidationFailed.of(violations))
    return option === undefined ? useCase(...inputs) : useCase(...inputs, args[readers.length])
  }
  return option === "idempotencyKey" ? (...args) => Effect.map(call(...args), createdValue) : call
}
