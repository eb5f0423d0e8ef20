import { messageOf } from "../api/ApiError.ts"
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
