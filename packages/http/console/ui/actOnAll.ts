import { signal } from "@preact/signals"
import { ApiError, messageOf } from "../api/ApiError.ts"
import { get, type Query } from "../api/request.ts"
import { confirm } from "./Questions.tsx"
import { toast } from "./toast.ts"

export interface Progress {
  readonly title: string
  readonly count: number
  readonly stop: () => void
}
/** What is done to all rows of a list now. */
export const progress = signal<Progress | undefined>(undefined)

interface Work {
  readonly question: { readonly title: string; readonly text: string; readonly yes: string }
  readonly done: (count: number) => string
}

interface WorkOnRows<A> extends Work {
  /** The rows; those that no longer fit it once they are changed are not asked for again. */
  readonly path: string
  readonly query?: Query
  readonly action: (row: A) => Promise<unknown>
}

interface WorkOfServer extends Work {
  /** The request that does a part of the work, and names where the next one continues. */
  readonly request: (
    after: string | number | undefined
  ) => Promise<{ readonly count: number; readonly next?: string | number }>
}

const inBatch = 100
const atOnce = 4

/** Tries again when the server says that it may: many requests soon reach the limit of a key. */
const patiently = async <A>(action: () => Promise<A>): Promise<A> => {
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

/** Works in parts after one question, until there is no next one, and says how many rows it was done to. */
const workOn = async <Place>(
  { done, question }: Work,
  part: (place: Place | undefined, add: (count: number) => void, isStopped: () => boolean) => Promise<Place | undefined>
): Promise<void> => {
  if (progress.peek() !== undefined || !(await confirm(question))) return
  let count = 0
  let stopped = false
  const add = (more: number): void => {
    count += more
    const stop = (): void => {
      stopped = true
    }
    progress.value = { title: question.yes, count, stop }
  }
  add(0)
  try {
    let place: Place | undefined
    do place = await part(place, add, () => stopped)
    while (place !== undefined && !stopped)
  } catch (error) {
    stopped = true
    toast(messageOf(error), { tone: "bad" })
  } finally {
    progress.value = undefined
  }
  if (count > 0) toast(done(count))
}

/** Does the same to all rows of a list, a page at a time. */
export const actOnAll = <A>(work: WorkOnRows<A>): Promise<void> =>
  workOn<string>(work, async (cursor, add, isStopped) => {
    const page = await get<ReadonlyArray<A>>(work.path, { ...work.query, limit: inBatch, cursor })
    const rows = [...page.data]
    const actOn = async (): Promise<void> => {
      for (let row = rows.shift(); row !== undefined && !isStopped(); row = rows.shift()) {
        const mine = row
        await patiently(() => work.action(mine))
        add(1)
      }
    }
    await Promise.all(Array.from({ length: atOnce }, actOn))
    return page.next
  })

/** Lets the server do something to all rows that it finds. */
export const actOnServer = (work: WorkOfServer): Promise<void> =>
  workOn<string | number>(work, async (after, add) => {
    const { count, next } = await patiently(() => work.request(after))
    add(count)
    return next
  })
