import type { ParkedEvent } from "@petstore/core"
import { call } from "../../api/request.ts"
import { act } from "../../ui/act.ts"
import { actOnAll } from "../../ui/actOnAll.ts"
import { confirm } from "../../ui/Questions.tsx"
import { number } from "../../ui/text.ts"

/** The path of a consumer. Names may have a colon. */
export const consumerPath = (name: string): string => `/consumers/${encodeURIComponent(name)}`

const parkedPath = (name: string, seq: number): string => `${consumerPath(name)}/parked/${seq}`

export const replay = (name: string, seq: number, always: () => void): Promise<boolean> =>
  act(`${name} handles event ${seq} once more`, () => call("POST", `${parkedPath(name, seq)}/replay`), { always })

export const replayAll = (name: string): Promise<void> =>
  actOnAll<ParkedEvent>({
    path: `${consumerPath(name)}/parked`,
    question: {
      title: `Replay all parked events of ${name}?`,
      text: "It handles each once more. Those that fail again stay parked.",
      yes: "Replay all"
    },
    done: (count) => `${name} handles ${number(count)} once more`,
    action: ({ seq }) => call("POST", `${parkedPath(name, seq)}/replay`)
  })

export const discard = async (name: string, seq: number, always: () => void): Promise<void> => {
  const yes = await confirm({
    title: `Drop event ${seq}?`,
    text: `${name} never handles it. The event stays in the log. This cannot be undone.`,
    yes: "Drop the event",
    danger: true
  })
  if (!yes) return
  await act(`${name} never handles event ${seq}`, () => call("POST", `${parkedPath(name, seq)}/discard`), { always })
}
