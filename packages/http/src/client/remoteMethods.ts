import type {
  CancelOptions,
  ChangeOptions,
  ConsumersMethods,
  ReserveOptions,
  ResourceMethods,
  VersionedPetWithInventory
} from "@petstore/core"
import {
  consumerInputs,
  type IncludeOption,
  inputOf,
  type MethodInput,
  type MethodName,
  type OperationName,
  type Page,
  RecordKind,
  ValidationFailed,
  validator
} from "@petstore/core/domain"
import {
  allUntypedPages,
  argumentsCheck,
  type EffectApi,
  type EffectEvents,
  type EffectMethods,
  effectCheck,
  inputCount,
  mapGroup,
  mapMethods,
  mayTakeIndex,
  type UntypedEffect,
  type UntypedMethod
} from "@petstore/core/remote"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import type { OperationId, OperationInput, UseCaseOf } from "../api/operations.ts"
import { type Operation, operations, parameterNames } from "../api/operations.ts"
import type { ServerStats, Session, StatsPoint } from "../api/Server.ts"
import type { ClientError } from "./ClientErrors.ts"
import type { OperationRequest } from "./inputCheck.ts"
import type { Call } from "./operationCaller.ts"
import type { Conditions } from "./requestEncoder.ts"
import type { DecodedBody } from "./responseDecoder.ts"

/** What only a server knows. */
interface ServerReads {
  /** Who this client is, and what it may do. */
  readonly session: Effect.Effect<Session, ClientError>
  /** The work of the server since it started, and the queues of its store. */
  readonly stats: Effect.Effect<ServerStats, ClientError>
  /** The numbers of the last 15 minutes, as far as callers asked for them, the oldest first. */
  readonly statsHistory: Effect.Effect<ReadonlyArray<StatsPoint>, ClientError>
}

/** The methods of `events.consumers` that a remote petstore has. A consumer runs where its handler is, so a client cannot open or remove one. */
export type RemoteConsumersMethods = Omit<ConsumersMethods, "remove">

/** The consumers of a remote petstore as effects. */
export type RemoteConsumers = EffectMethods<RemoteConsumersMethods, Record<keyof RemoteConsumersMethods, ClientError>>

/** The methods of a remote petstore as effects. */
export interface RemoteMethods extends EffectApi<ClientError>, ServerReads {
  readonly events: EffectEvents<ClientError> & { readonly consumers: RemoteConsumers }
}

export const serverReads = (call: Call): ServerReads => ({
  session: Effect.map(call("getSession", {}), (body) => body as Session),
  stats: Effect.map(call("getStats", {}), (body) => body as ServerStats),
  statsHistory: Effect.map(call("getStatsHistory", {}), (body) => body as unknown as ReadonlyArray<StatsPoint>)
})

const operationsByMethod: ReadonlyMap<OperationName, Operation> = new Map(
  operations.map((operation) => [operation.useCase, operation])
)

interface Groups extends ResourceMethods {
  readonly consumers: ConsumersMethods
}

type ResultOf<Name> = Name extends `${infer Group extends keyof Groups}.${infer Method}`
  ? Method extends keyof Groups[Group]
    ? Groups[Group][Method] extends (...args: never) => Promise<infer A>
      ? A
      : never
    : never
  : never

interface Version {
  readonly version: number
}

type Decoded<Body, Query> =
  Body extends ReadonlyArray<infer Item>
    ? "limit" extends keyof ([Query] extends [never] ? unknown : Query)
      ? Page<Item>
      : Body
    : Body & Version & (Body extends { readonly inventory: unknown } ? { readonly inventory: Version } : unknown)

/** The operations whose decoded response is what their method returns: if one is missing here, it does not compile below. */
type FittingId = {
  [Id in OperationId]: UseCaseOf<Id> extends `${"events" | "server"}.${string}`
    ? // They have methods of their own.
      Id
    : Decoded<DecodedBody<Id>, OperationInput<Id>["query"]> extends ResultOf<UseCaseOf<Id>>
      ? Id
      : never
}[OperationId]

/** The options of methods that their operations have in their queries. */
type QueryOptions = Pick<ReserveOptions, "reserveFor"> & IncludeOption & Pick<CancelOptions, "reason">

/** The query of an operation whose method has it among its options. */
const queryOf = ({ include, reason, reserveFor }: QueryOptions) => ({
  ...(reserveFor === undefined ? {} : { reserveFor: Math.round(Duration.toMillis(reserveFor)) }),
  ...(include === undefined ? {} : { include }),
  ...(reason === undefined ? {} : { reason })
})

/** A method that sends its arguments as the request of one operation. */
const methodOf = (
  call: Call,
  { id, path }: Operation & { readonly id: FittingId },
  input: MethodInput
): UntypedMethod<UntypedEffect> => {
  const { body, bodyIsOptional, field, options, query } = input
  const parameters = parameterNames(path)
  const count = inputCount(input)
  const absent = query !== undefined || bodyIsOptional === true ? {} : undefined
  return (...args) => {
    const { [count - 1]: value = absent } = args
    const request: OperationRequest = {
      params: Object.fromEntries(parameters.map((parameter, at) => [parameter, args[at]])),
      ...(query === undefined ? {} : { query: value }),
      ...(body === undefined ? {} : { body: field === undefined ? value : { [field]: value } })
    }
    const conditions = args[count] as (Conditions & QueryOptions) | null | undefined
    const { include, reason, reserveFor } = options ?? {}
    if ((include ?? reason ?? reserveFor) === undefined) return call(id, request, conditions ?? undefined)
    return call(id, { ...request, query: queryOf(conditions ?? {}) }, conditions ?? undefined)
  }
}

/** Reads the deprecated `GET /pets/{petId}` until its sunset, then its successor, which needs an additional scope. */
const getPet = (call: Call): UntypedMethod<UntypedEffect> => {
  let isSunset = false
  const getFromSuccessor = (request: OperationRequest) =>
    Effect.map(call("getPetWithInventory", request), (both) => {
      const { inventory: _, ...pet } = both as VersionedPetWithInventory
      return pet
    })
  return (petId, options) =>
    Effect.suspend(() => {
      const request = { params: { petId }, query: queryOf((options ?? {}) as IncludeOption) }
      if (isSunset) return getFromSuccessor(request)
      return call("getPet", request).pipe(
        Effect.catchTag("OperationSunset", () => {
          isSunset = true
          return getFromSuccessor(request)
        })
      )
    })
}

/** A method for several kinds of resources, each of which has an operation of its own. */
const methodByKind = (call: Call, name: "records.get" | "records.getByExternalId" | "records.update") => {
  const { kind: _, ...input } = inputOf(name)
  const methods = new Map<unknown, UntypedMethod<UntypedEffect>>(
    operations.flatMap((operation) =>
      operation.useCase === name && operation.kind !== undefined
        ? [[operation.kind, methodOf(call, operation, input)]]
        : []
    )
  )
  const check = validator(Schema.Struct({ kind: RecordKind }))
  return (kind: unknown, ...args: ReadonlyArray<unknown>): UntypedEffect => {
    const checked = check("", { kind })
    const method = methods.get(kind)
    if (method !== undefined) return method(...args)
    return Effect.fail(ValidationFailed.of(Result.isFailure(checked) ? checked.failure : []))
  }
}

/** The methods that are not simply one operation. The compiler requires one for each method without an operation. */
const specialMethods = (
  call: Call
): Readonly<
  Record<Exclude<MethodName, UseCaseOf<OperationId>> | "pets.get" | `records.${string}`, UntypedMethod<UntypedEffect>>
> => ({
  "pets.get": getPet(call),
  "records.get": methodByKind(call, "records.get"),
  "records.getByExternalId": methodByKind(call, "records.getByExternalId"),
  "records.update": methodByKind(call, "records.update"),
  "orders.complete": (orderId, options) =>
    call("updateOrder", { params: { orderId }, body: { complete: true } }, options as ChangeOptions)
})

/** A method that checks its arguments and sends the request of the operation that names it as its use case, unless `special` does. */
const remoteMethod = (
  call: Call,
  useCase: OperationName,
  input: MethodInput,
  name: string,
  special?: UntypedMethod<UntypedEffect>
): UntypedMethod<UntypedEffect> => {
  const operation = operationsByMethod.get(useCase)
  const method = special ?? (operation && methodOf(call, operation, input))
  if (method === undefined) throw new TypeError(`No operation has the use case ${useCase}`)
  const check = effectCheck(name, input)
  const lacks = argumentsCheck(name, input)
  const count = inputCount(input)
  const takesIndex = mayTakeIndex(input)
  return (...args) => {
    const [options, ...more] = args.slice(count)
    const isIndex = takesIndex && typeof options !== "object" && more.length === 0
    return (isIndex ? undefined : check(options, more)) ?? lacks(args) ?? method(...args)
  }
}

export const remoteMethods = (call: Call): EffectApi<ClientError> => {
  const special: { readonly [Name in MethodName]?: UntypedMethod<UntypedEffect> } = specialMethods(call)
  return mapMethods<EffectApi<ClientError>, UntypedEffect>(
    (name, input) => remoteMethod(call, name, input, name, special[name]),
    allUntypedPages
  )
}

export const remoteConsumers = (call: Call): RemoteConsumers =>
  mapGroup<RemoteConsumers, UntypedEffect>(consumerInputs, (name, input) =>
    remoteMethod(call, `consumers.${name}`, input, `events.consumers.${name}`)
  )
