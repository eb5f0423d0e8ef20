import { inputOf, type methodInputs, type Page, type PetstoreError, type RecordKind } from "@petstore/core/domain"
import {
  Consumers,
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
import { type Operation, parameterNames } from "../api/operations.ts"
import type { OperationId, OperationInput, OperationResult, UseCaseOf } from "../api/PetstoreHttpApi.ts"
import type { Session } from "../api/Server.ts"
import { actorOf, type Caller } from "./authentication/authentication.ts"
import { sharedStats } from "./sharedStats.ts"

/** The options of a use case that the headers of a request contain, and its query if that is no input. */
interface RequestOptions {
  readonly idempotencyKey?: string | undefined
  /** The versions in `If-Match`; absent if any version will do. */
  readonly ifVersion?: ReadonlyArray<number> | undefined
  /** The versions in `If-None-Match`. */
  readonly unlessVersion?: ReadonlyArray<number> | undefined
  readonly reserveFor?: number | undefined
}

/** Runs one operation. */
export type Handler = (
  input: { readonly params: unknown; readonly query: unknown; readonly body: unknown },
  options: RequestOptions,
  caller: Caller
) => Effect.Effect<unknown, PetstoreError>

/** Who a caller is. */
const sessionOf = (caller: Caller): Session => {
  const { accountId, expiresAt, id, name, scopes } = caller
  return {
    actor: actorOf(caller),
    ...(typeof id === "string" || id === 0 ? {} : { keyId: id }),
    ...(name === undefined ? {} : { name }),
    ...(accountId === 0 ? {} : { accountId }),
    scopes,
    ...(expiresAt === undefined ? {} : { expiresAt })
  }
}

interface ParkedParams {
  readonly consumerName: string
  readonly seq: number
}

/** The use cases, with the server's own way to revoke keys. */
const served = (engine: Context.Context<Engine>, revocation: RevokeOptions) => {
  const useCases = useCasesOf(engine)
  const { apiKeys } = useCases
  const { latest, list } = Context.get(engine, Events)
  const consumers = Context.get(engine, Consumers)
  return {
    ...useCases,
    apiKeys: {
      ...apiKeys,
      revoke: (keyId: number, options?: CreateOptions) => apiKeys.revoke(keyId, { ...options, ...revocation })
    },
    events: { list, latest: () => Effect.map(latest, (seq) => ({ seq })) },
    consumers: {
      ...consumers,
      replay: ({ consumerName, seq }: ParkedParams) => consumers.replay(consumerName, seq),
      discard: ({ consumerName, seq }: ParkedParams) => consumers.discard(consumerName, seq)
    },
    server: { stats: sharedStats(engine) }
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

/** The only parameter of a path, or several together. */
type PathArgument<Params> =
  IsUnion<keyof Params> extends true ? Argument<Params, never> : Argument<Params, keyof Params>
type IsUnion<T, Each = T> = T extends unknown ? ([Each] extends [T] ? false : true) : never

type KindOf<Name> = Name extends `records.${string}` ? [kind: RecordKind] : []

type ArgumentsOf<Id extends OperationId, Input extends OperationInput<Id> = OperationInput<Id>> = [
  ...KindOf<UseCaseOf<Id>>,
  ...PathArgument<Input["params"]>,
  ...(Named<typeof methodInputs, UseCaseOf<Id>> extends { readonly query: unknown }
    ? Argument<Input["query"], never>
    : []),
  ...Argument<Input["body"], FieldOf<UseCaseOf<Id>>>
]

/** Perhaps a page if the operation returns a list; perhaps a {@link Done} if it honours an idempotency key. */
type ResultOf<A> = A extends ReadonlyArray<infer Item> ? Page<Item> | Done<A> : A | Done<A>

/** The operations whose use case takes and returns what they do: if one is missing here, it does not compile below. */
type FittingId = {
  [Id in OperationId]: Named<UseCases, UseCaseOf<Id>> extends (
    ...args: [...ArgumentsOf<Id>, options: RequestOptions]
  ) => Effect.Effect<ResultOf<OperationResult<Id>>, PetstoreError>
    ? Id
    : never
}[OperationId]

/** The operations without a use case: `EventStreams` makes the successes of one, and {@link sessionOf} those of the other. */
type OtherId = "streamEvents" | "getSession"

type Fields = Readonly<Record<string, unknown>>

/** Finds the handlers of operations: each takes the arguments of its use case from the request. */
export const handlersOf = (engine: Context.Context<Engine>, revocation: RevokeOptions) => {
  const useCases = served(engine, revocation)
  return ({ id, kind, path, useCase: name }: Operation & { readonly id: FittingId | OtherId }): Handler => {
    if (id === "getSession") return (_, __, caller) => Effect.succeed(sessionOf(caller))
    const { body, field, query } = inputOf(name)
    const [parameter, ...more] = parameterNames(path)
    const method = methodNamed(useCases, name)
    const useCase = tracedMethod(name, () => method)
    return (input, options) => {
      const inputs: Array<unknown> = kind === undefined ? [] : [kind]
      if (parameter !== undefined) inputs.push(more.length === 0 ? (input.params as Fields)[parameter] : input.params)
      if (query !== undefined) inputs.push(input.query)
      if (body !== undefined) inputs.push(field === undefined ? input.body : (input.body as Fields)[field])
      return useCase(...inputs, query === undefined ? { ...options, ...(input.query as Fields | undefined) } : options)
    }
  }
}
