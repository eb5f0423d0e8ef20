/** Building blocks for clients of a remote petstore: its methods as effects, and the promise API over them. */

export {
  argumentsCheck,
  callCheck,
  effectCheck,
  mayTakeIndex,
  type OptionsCheck
} from "./petstore/callOptions.ts"
export type { EffectApi, EffectMethods } from "./petstore/EffectMethods.ts"
export { allUntypedPages } from "./petstore/EffectMethods.ts"
export { type EffectEvents, effectEvents } from "./petstore/effectEvents.ts"
export { inputCount, mapGroup, mapMethods } from "./petstore/methods.ts"
export { promiseApi, promiseGroup, type RunExit, type RunMethod, runCall, runChecked } from "./petstore/promiseApi.ts"
export { type EventCalls, promiseEvents } from "./petstore/promiseEvents.ts"
export type { EventSource, Follower } from "./programs/events/EventSource.ts"
export type { UntypedEffect, UntypedMethod } from "./programs/UseCase.ts"
