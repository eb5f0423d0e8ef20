import type { ChangeOptions, ResourceMethods, VersionedPetWithInventory } from "@petstore/core"
import type { MethodInput, MethodName, OperationName, Page } from "@petstore/core/domain"
import {
  allUntypedPages,
  type EffectApi,
  type EffectEvents,
  inputCount,
  mapMethods,
  type UntypedEffect,
  type UntypedMethod
} from "@petstore/core/remote"
import * as Effect from "effect/Effect"
import { type Operation, operations } from "../api/operations.ts"
import type { OperationId, OperationInput, UseCaseOf } from "../api/PetstoreHttpApi.ts"
import type { ClientError } from "./ClientErrors.ts"
import type { OperationRequest } from "./inputCheck.ts"
import type { Call } from "./operationCaller.ts"
import type { Conditions } from "./requestEncoder.ts"
import type { DecodedBody } from "./responseDecoder.ts"

/** The methods of a remote petstore as effects. */
export interface RemoteMethods extends EffectApi<ClientError> {
  readonly events: EffectEvents<ClientError>
}

const operationsByMethod: ReadonlyMap<OperationName, Operation> = new Map(
  operations.map((operation) => [operation.useCase, operation])
)

type ResultOf<Name> = Name extends `${infer Group extends keyof ResourceMethods}.${infer Method}`
  ? Method extends keyof ResourceMethods[Group]
    ? ResourceMethods[Group][Method] extends (...args: never) => Promise<infer A>
      ? A
      : never
    : never
  : never

interface Version {
  readonly version: number
}

type Decoded<Body, Query> =
  Body extends ReadonlyArray<infer Item>
    ? [Query] extends [never]
      ? Body
      : Page<Item>
    : Body & Version & (Body extends { readonly inventory: unknown } ? { readonly inventory: Version } : unknown)

/** The operations whose decoded response is what their method returns: if one is missing here, it does not compile below. */
type FittingId = {
  [Id in OperationId]: UseCaseOf<Id> extends `events.${string}`
    ? // They have methods of their own.
      Id
    : Decoded<DecodedBody<Id>, OperationInput<Id>["query"]> extends ResultOf<UseCaseOf<Id>>
      ? Id
      : never
}[OperationId]

/** A method that sends its arguments as the request of one operation. */
const methodOf = (
  call: Call,
  { id }: Operation & { readonly id: FittingId },
  input: MethodInput
): UntypedMethod<UntypedEffect> => {
  const { body, bodyIsOptional, field, path, query } = input
  const [parameter] = Object.keys(path ?? {})
  const count = inputCount(input)
  const absent = query !== undefined || bodyIsOptional === true ? {} : undefined
  return (...args) => {
    const { [count - 1]: value = absent } = args
    const request: OperationRequest = {
      ...(parameter === undefined ? {} : { params: { [parameter]: args[0] } }),
      ...(query === undefined ? {} : { query: value }),
      ...(body === undefined ? {} : { body: field === undefined ? value : { [field]: value } })
    }
    return call(id, request, args[count] as Conditions | undefined)
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
  return (petId) =>
    Effect.suspend(() => {
      const request = { params: { petId } }
      if (isSunset) return getFromSuccessor(request)
      return Effect.catchTag(call("getPet", request), "OperationSunset", () => {
        isSunset = true
        return getFromSuccessor(request)
      })
    })
}

/** The methods that are not simply one operation. The compiler requires one for each method without an operation. */
const specialMethods = (
  call: Call
): Readonly<Record<Exclude<MethodName, UseCaseOf<OperationId>> | "pets.get", UntypedMethod<UntypedEffect>>> => ({
  "pets.get": getPet(call),
  "orders.complete": (orderId, options) =>
    call("updateOrder", { params: { orderId }, body: { complete: true } }, options as ChangeOptions)
})

/** The methods of a remote petstore: each sends the request of the operation that names it as its use case. */
export const remoteMethods = (call: Call): EffectApi<ClientError> => {
  const special: { readonly [Name in MethodName]?: UntypedMethod<UntypedEffect> } = specialMethods(call)
  return mapMethods<EffectApi<ClientError>, UntypedEffect>((name, input) => {
    const operation = operationsByMethod.get(name)
    const method = special[name] ?? (operation && methodOf(call, operation, input))
    if (method === undefined) throw new TypeError(`No operation has the use case ${name}`)
    return method
  }, allUntypedPages)
}
