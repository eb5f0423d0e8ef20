import { useEffect } from "preact/hooks"
import { onEvents } from "./stream.ts"

/** Does something after events of a subject, such as `orders/12`, while a component is shown. */
export const useEventsOf = (subjects: ReadonlyArray<string>, then: () => void): void =>
  useEffect(
    () => onEvents((events) => events.some(({ subject }) => subjects.includes(subject)) && then()),
    [subjects.join()]
  )
