import { signal } from "@preact/signals"
import { ApiError, messageOf } from "../api/ApiError.ts"
import { get, type Query } from "../api/request.ts"
import { confirm } from "./confirm.ts"
import { toast } from "./toast.ts"

export interface Progress {
  readonly title: string
  readonly count: number
  readonly stop: () => void
}
/** What is done to all rows of a list now. */
export const progress = signal<Progress | undefined>(undefined)

interface Work<A> {
  /** The rows; those that no longer fit it once they are changed are not asked for again. */
  readonly path: string
  readonly query?: Query
  readonly question: { readonly title: string; readonly text: string; readonly yes: string }
  readonly action: (row: A) => Promise<unknown>
  readonly done: (count: number) => string
}

const inBatch = 100
const atOnce = 4

/** Tries again when the server says that it may: many requests soon reach the limit of a key. */
const patiently = async (action: () => Promise<unknown>): Promise<unknown> => {
  for (;;) {
    try {
      return await action()
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 429) throw error
      const seconds = Number(error.details.retryAfterSeconds)
      await new Promise((resolve) => setTimeout(resolve, 1000 * (seconds > 0 ? seconds : 1)))
    }
  }
}

/** Does the same to all rows of a list, a page at a time, after one question, and says how many it was done to. */
export const actOnAll = async <A>({ action, done, path, query, question }: Work<A>): Promise<void> => {
  if (progress.peek() !== undefined || !(await confirm(question))) return
  let count = 0
  let stopped = false
  const show = (): void => {
    const stop = (): void => {
      stopped = true
    }
    progress.value = { title: question.yes, count, stop }
  }
  const actOn = async (rows: Array<A>): Promise<void> => {
    for (let row = rows.shift(); row !== undefined && !stopped; row = rows.shift()) {
      const mine = row
      await patiently(() => action(mine))
      count++
      show()
    }
  }
  show()
  try {
    let cursor: string | undefined
    do {
      const page = await get<ReadonlyArray<A>>(path, { ...query, limit: inBatch, cursor })
      const rows = [...page.data]
      await Promise.all(Array.from({ length: atOnce }, () => actOn(rows)))
      cursor = page.next
    } while (cursor !== undefined && !stopped)
  } catch (error) {
    stopped = true
    toast(messageOf(error), { tone: "bad" })
  } finally {
    progress.value = undefined
  }
  if (count > 0) toast(done(count))
}
