import { type LockCall, lockCallOf } from "./locks.ts"
import { edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"
import { isNode, type Node, parse, partsOf, within } from "./syntax.ts"

/** The text of a call that locks, as a read of the same rows without a lock. */
export const unlocked = (text: string, { method, node, read }: LockCall): string => {
  const [callee] = partsOf(node)
  if (!isNode(callee)) throw new Error("A call has no callee")
  return text.slice(node.start, callee.end - method.length) + read + text.slice(callee.end, node.end)
}

/** The text of a call that locks a row, with a shared lock; none if it has one, or locks rows of a query. */
const shared = (text: string, { method, node }: LockCall): ReadonlyArray<string> =>
  method === "lock" && Array.isArray(node.arguments) && node.arguments.length === 2
    ? [`${text.slice(node.start, node.end - 1)}, true)`]
    : []

/** Each lock of a source removed, and weakened in every way. */
export const lockMutants = (file: string, text: string): ReadonlyArray<Mutant> =>
  within(parse(file, text)).flatMap((node) => {
    const call = lockCallOf(node)
    if (call === undefined) return []
    const { start, end } = node
    const before = inOneLine(text.slice(start, end))
    const mutant = (fault: string, part: string): Mutant => ({
      file,
      line: lineAt(text, start),
      fault,
      text: edited(text, [{ start, end, text: part }])
    })
    return [
      mutant(`${before} is removed`, "Effect.succeed(undefined)"),
      ...[unlocked(text, call), ...shared(text, call)].map((part) =>
        mutant(`${before} becomes ${inOneLine(part)}`, part)
      )
    ]
  })

/** Whether a lock is taken in a node, the functions in it included. */
export const locksIn = (node: Node): boolean => within(node).some((part) => lockCallOf(part) !== undefined)
