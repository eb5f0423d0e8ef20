import { type LockCall, lockCallOf } from "./locks.ts"
import { edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"
import { isNode, type Node, parse, partsOf, within } from "./syntax.ts"

/** The operations that each kind of rows has, such as `pets` has `find`. */
export type Operations = (kind: string) => ReadonlyArray<string>

/** The operations that lock less than a call, weakest first. */
const weaker = ({ kind, method }: LockCall, operations: Operations): ReadonlyArray<string> => {
  const all = ["find", "lockShared", "lock"]
  return all.slice(0, Math.max(0, all.indexOf(method))).filter((name) => operations(kind).includes(name))
}

/** The text of a call that locks, with another operation in its place. */
export const withOperation = (text: string, { method, node }: LockCall, operation: string): string => {
  const [callee] = partsOf(node)
  if (!isNode(callee)) throw new Error("A call has no callee")
  return text.slice(node.start, callee.end - method.length) + operation + text.slice(callee.end, node.end)
}

/** The read of a row without its lock, or no read if the port has none. */
export const unlocked = (text: string, call: LockCall, operations: Operations): string =>
  operations(call.kind).includes("find") ? withOperation(text, call, "find") : "Effect.succeed(undefined)"

/** Each lock of a source removed, and weakened in every way. */
export const lockMutants = (file: string, text: string, operations: Operations): ReadonlyArray<Mutant> =>
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
      ...weaker(call, operations).map((operation) => {
        const part = withOperation(text, call, operation)
        return mutant(`${before} becomes ${inOneLine(part)}`, part)
      })
    ]
  })

/** Whether a lock is taken in a node, the functions in it included. */
export const locksIn = (node: Node): boolean => within(node).some((part) => lockCallOf(part) !== undefined)
