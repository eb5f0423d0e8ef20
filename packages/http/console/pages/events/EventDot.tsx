import { familyOf } from "../../live/event.ts"

export const EventDot = ({ type }: { type: string }) => <i class={`event-dot ${familyOf(type)}`} aria-hidden="true" />
