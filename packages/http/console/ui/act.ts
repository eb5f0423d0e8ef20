import { messageOf } from "../api/ApiError.ts"
import { confirm } from "./confirm.ts"
import { toast } from "./toast.ts"

/** Does something, and says what became of it. */
export const act = async (
  done: string,
  action: () => Promise<unknown>,
  after: { undo?: () => unknown; always?: () => unknown } = {}
): Promise<boolean> => {
  try {
    await action()
    toast(done, after.undo === undefined ? {} : { undo: after.undo })
    return true
  } catch (error) {
    toast(messageOf(error), { tone: "bad" })
    return false
  } finally {
    after.always?.()
  }
}

/** Does the same for each of a page of rows, four at a time, after one question, and says how many it worked for. */
export const actOnAll = async <A>(
  rows: ReadonlyArray<A>,
  asked: { title: string; text: string; yes: string },
  done: (count: number) => string,
  action: (row: A) => Promise<unknown>
): Promise<void> => {
  if (!(await confirm(asked))) return
  const queue = [...rows]
  let count = 0
  let failure: unknown
  const work = async (): Promise<void> => {
    for (let row = queue.shift(); row !== undefined && failure === undefined; row = queue.shift()) {
      try {
        await action(row)
        count++
      } catch (error) {
        failure = error
      }
    }
  }
  await Promise.all([work(), work(), work(), work()])
  if (count > 0) toast(done(count))
  if (failure !== undefined) toast(messageOf(failure), { tone: "bad" })
}
