import { inputOf, type methodInputs, type Page, type PetstoreError } from "@petstore/core/domain"
import {
  type CreateOptions,
  type Done,
  type Engine,
  Events,
  methodNamed,
  type RevokeOptions,
  tracedMethod,
  useCasesOf
} from "@petstore/core/services"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Operation } from "../api/operations.ts"
import type { OperationId, OperationInput, OperationResult, UseCaseOf } from "../api/PetstoreHttpApi.ts"

/** The options of a use case that the headers of a request contain. */
interface RequestOptions {
  readonly idempotencyKey?: string | undefined
  /** The versions in `If-Match`; absent if any version will do. */
  readonly ifVersion?: ReadonlyArray<number> | undefined
  /** The versions in `If-None-Match`. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
}

/** Runs one operation. */
export type Handler = (
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
  options: RequestOptions
) => Effect.Effect<unknown, PetstoreError>

/** The use cases, with the server's own way to revoke keys. */
const served = (engine: Context.Context<Engine>, revocation: RevokeOptions) => {
  const useCases = useCasesOf(engine)
  const { apiKeys } = useCases
  const { latest, list } = Context.get(engine, Events)
  return {
    ...useCases,
    apiKeys: {
      ...apiKeys,
      revoke: (keyId: number, options?: CreateOptions) => apiKeys.revoke(keyId, { ...options, ...revocation })
    },
    events: { list, latest: () => Effect.map(latest, (seq) => ({ seq })) }
  }
}

type UseCases = ReturnType<typeof served>

type Named<Table, Name> = Name extends `${infer Group}.${infer Method}`
  ? Group extends keyof Table
    ? Method extends keyof Table[Group]
      ? Table[Group][Method]
      : never
    : never
  : never

type FieldOf<Name> = Named<typeof methodInputs, Name> extends { readonly field: infer Field } ? Field : never
type Argument<Part, Field> = [Part] extends [never] ? [] : [Field extends keyof Part ? Part[Field] : Part]

type ArgumentsOf<Id extends OperationId, Input extends OperationInput<Id> = OperationInput<Id>> = [
  ...Argument<Input["params"], keyof Input["params"]>,
  ...Argument<Input["query"], never>,
  ...Argument<Input["body"], FieldOf<UseCaseOf<Id>>>
]

/** A page if the operation has a query; perhaps a {@link Done} if it honours an idempotency key. */
type ResultOf<A, Query> = [Query] extends [never] ? A | Done<A> : A extends ReadonlyArray<infer Item> ? Page<Item> : A

/** The operations whose use case takes and returns what they do: if one is missing here, it does not compile below. */
type FittingId = {
  [Id in OperationId]: Named<UseCases, UseCaseOf<Id>> extends (
    ...args: [...ArgumentsOf<Id>, options: RequestOptions]
  ) => Effect.Effect<ResultOf<OperationResult<Id>, OperationInput<Id>["query"]>, PetstoreError>
    ? Id
    : never
}[OperationId]

/** The operation whose successes are made by `EventStreams`. */
type StreamId = "streamEvents"

type Fields = Readonly<Record<string, unknown>>

/** Finds the handlers of operations: each takes the arguments of its use case from the request. */
export const handlersOf = (engine: Context.Context<Engine>, revocation: RevokeOptions) => {
  const useCases = served(engine, revocation)
  return ({ useCase: name }: Operation & { readonly id: FittingId | StreamId }): Handler => {
    const { body, field, path, query } = inputOf(name)
    const [parameter] = Object.keys(path ?? {})
    const useCase = tracedMethod(name, methodNamed(useCases, name))
    return (input, options) => {
      const inputs: Array<unknown> = []
      if (parameter !== undefined) inputs.push((input.params as Fields)[parameter])
      if (query !== undefined) inputs.push(input.query)
      if (body !== undefined) inputs.push(field === undefined ? input.body : (input.body as Fields)[field])
      return useCase(...inputs, options)
    }
  }
}
