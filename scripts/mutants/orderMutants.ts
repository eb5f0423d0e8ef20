import { locksIn, unlocked } from "./lockMutants.ts"
import { lockCallOf } from "./locks.ts"
import { type Edit, edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"
import {
  isFunction,
  isNode,
  methodOf,
  type Node,
  nameOf,
  namesDeclared,
  namesUsed,
  parse,
  partsOf,
  runWith,
  within
} from "./syntax.ts"

/** What stands for the part of a source that takes locks, by the name that it is called by. */
interface Helper {
  readonly name: string
  readonly node: Node
}

/** The functions with a name, such as `const a = () => ...` and `{ a: () => ... }`, that satisfy a condition. */
const functionsIn = (root: Node, is: (node: Node) => boolean): ReadonlyArray<Helper> =>
  within(root).flatMap((node) => {
    const { init, value } = node
    const made = node.type === "VariableDeclarator" ? init : node.type === "Property" ? value : undefined
    const name = nameOf(node.type === "VariableDeclarator" ? node.id : node.key)
    return name !== undefined && isNode(made) && within(made).some(isFunction) && is(made) ? [{ name, node }] : []
  })

const calledIn = (node: Node): ReadonlySet<string> =>
  new Set(within(node).flatMap((part) => (part.type === "CallExpression" ? (nameOf(part.callee) ?? []) : [])))

/** The names of the functions of all sources that lock, by themselves or through each other; not those of use cases. */
export const helpersOf = (roots: ReadonlyArray<Node>): ReadonlySet<string> => {
  const opensTransaction = (node: Node) =>
    within(node).some((part) => ["transact", "once"].includes(methodOf(part)?.method ?? ""))
  const found = new Set<string>()
  for (let before = -1; before !== found.size; ) {
    before = found.size
    const locks = (node: Node) =>
      !opensTransaction(node) && (locksIn(node) || [...calledIn(node)].some((name) => found.has(name)))
    for (const root of roots) for (const { name } of functionsIn(root, locks)) found.add(name)
  }
  return found
}

/** The names of the parameters of the functions around each node. */
const parametersAround = (root: Node): ReadonlyMap<Node, ReadonlySet<string>> => {
  const all = new Map<Node, ReadonlySet<string>>()
  const visit = (node: Node, known: ReadonlySet<string>): void => {
    const own = isFunction(node) && Array.isArray(node.params) ? node.params.filter(isNode) : []
    const now = own.length === 0 ? known : new Set([...known, ...own.flatMap((each) => [...namesUsed(each)])])
    all.set(node, now)
    for (const part of partsOf(node)) visit(part, now)
  }
  visit(root, new Set())
  return all
}

/** Whether `yield*` is given an effect that comes from the caller, or one that a function of the caller makes. */
const runsParameter = (node: Node, parameters: ReadonlySet<string>): boolean => {
  const { argument } = node
  if (node.type !== "YieldExpression" || !isNode(argument)) return false
  const from = argument.type === "CallExpression" ? argument.callee : argument
  return isNode(from) && from.type === "Identifier" && parameters.has(String(from.name))
}

/** What a statement does, without the names that it gives to that. */
const expressionOf = (statement: Node): Node => {
  const [declarator] = statement.type === "VariableDeclaration" ? partsOf(statement) : []
  const value = declarator?.init ?? statement.expression
  return isNode(value) ? value : statement
}

const movedBefore = (text: string, first: Node, second: Node): ReadonlyArray<Edit> => [
  { start: second.start, end: second.end, text: "" },
  { start: first.start, end: first.start, text: `${text.slice(second.start, second.end)}\n` }
]

/** Each pair of statements of one block that lock, in the other order. */
const swapped = (file: string, text: string, root: Node, helpers: ReadonlySet<string>): ReadonlyArray<Mutant> => {
  const parameters = parametersAround(root)
  /** The parts of a statement that lock as it runs. */
  const locksOf = (statement: Node): ReadonlyArray<Node> =>
    runWith(statement).filter(
      (part) =>
        lockCallOf(part) !== undefined ||
        (part.type === "CallExpression" && helpers.has(nameOf(part.callee) ?? "")) ||
        runsParameter(part, parameters.get(part) ?? new Set())
    )
  const shown = (node: Node): string => inOneLine(text.slice(node.start, node.end))

  /** A helper that reads what it locked, without locking it: a copy under another name. */
  const unlockedCopy = (name: string): { readonly name: string; readonly edit: Edit } | undefined => {
    const statement = within(root).find(
      (node) => node.type === "VariableDeclaration" && namesDeclared(node)[0] === name
    )
    if (statement === undefined) return undefined
    const { end, start } = statement
    const copy = `${name}Unlocked`
    const calls = within(statement).flatMap((part) => lockCallOf(part) ?? [])
    const inside = calls.map((call) => ({
      start: call.node.start - start,
      end: call.node.end - start,
      text: unlocked(text, call)
    }))
    const made = edited(text.slice(start, end), inside).replace(name, copy)
    return { name: copy, edit: { start: end, end, text: `\n${made}\n` } }
  }

  /** The first lock after the second: until then, its row is read without it. */
  const delayed = (first: Node, lock: Node, second: Node): ReadonlyArray<Edit> | undefined => {
    const { end, start } = lock
    const again = expressionOf(first)
    const code = text.slice(again.start, again.end)
    const after: Edit = { start: second.end, end: second.end, text: again === first ? `\n${code}` : `\n;(${code})` }
    const call = lockCallOf(lock)
    if (call !== undefined) return [{ start, end, text: unlocked(text, call) }, after]
    const { callee } = lock
    const copy = unlockedCopy(nameOf(callee) ?? "")
    if (copy === undefined || !isNode(callee)) return undefined
    return [{ start: callee.start, end: callee.end, text: copy.name }, copy.edit, after]
  }

  const blocks = within(root).flatMap(({ body, type }) =>
    type === "BlockStatement" && Array.isArray(body) ? [body.filter(isNode)] : []
  )
  return blocks.flatMap((statements) => {
    const locking = statements.flatMap((statement, index) => {
      const [lock] = locksOf(statement)
      return lock === undefined ? [] : [{ index, lock, statement }]
    })
    return locking.flatMap((first, at) =>
      locking.slice(at + 1).flatMap((second) => {
        const between = statements.slice(first.index, second.index)
        const known = new Set(between.flatMap(namesDeclared))
        const depends = [...namesUsed(second.statement)].some((name) => known.has(name))
        const edits = depends
          ? delayed(first.statement, first.lock, second.statement)
          : movedBefore(text, first.statement, second.statement)
        if (edits === undefined) {
          throw new Error(`${file}: no way is known to lock in ${shown(second.lock)} before ${shown(first.lock)}`)
        }
        const fault = `${shown(second.lock)} comes before ${shown(first.lock)}`
        return [{ file, line: lineAt(text, second.lock.start), fault, text: edited(text, edits) }]
      })
    )
  })
}

/** Each loop that locks, backwards, and each order that is made for one, left out. */
const unsorted = (file: string, text: string, root: Node): ReadonlyArray<Mutant> => {
  const mutant = (node: Node, fault: string, edit: Edit): Mutant => ({
    file,
    line: lineAt(text, node.start),
    fault: `${inOneLine(text.slice(node.start, node.end)).slice(0, 60)} ${fault}`,
    text: edited(text, [edit])
  })
  const backwards = (list: unknown): ReadonlyArray<Mutant> => {
    if (!isNode(list)) return []
    const { end, start } = list
    const reversed = `[...${text.slice(start, end)}].reverse()`
    return [mutant(list, "is gone through backwards", { start, end, text: reversed })]
  }
  const loops = within(root).flatMap((node) => {
    if (node.type === "ForOfStatement" && isNode(node.body) && locksIn(node.body)) return backwards(node.right)
    const [list, each] = Array.isArray(node.arguments) ? node.arguments : []
    return methodOf(node)?.method === "forEach" && isNode(each) && locksIn(each) ? backwards(list) : []
  })
  const sorts = functionsIn(root, locksIn).flatMap(({ node }) =>
    within(node).flatMap((part) => {
      const called = methodOf(part)
      return called !== undefined && ["sort", "toSorted"].includes(called.method)
        ? [{ node: part, start: called.object.end, end: part.end }]
        : []
    })
  )
  const distinct = new Map(sorts.map((sort) => [sort.start, sort]))
  return [
    ...loops,
    ...[...distinct.values()].map(({ end, node, start }) => mutant(node, "is not sorted", { start, end, text: "" }))
  ]
}

/** The larger of two ids first, and the two in the order in which they are given. */
const unsortedPairs = (file: string, text: string, root: Node, helpers: ReadonlySet<string>): ReadonlyArray<Mutant> => {
  const choiceOf = (node: Node) => {
    const called = methodOf(node)
    const [one, other] = Array.isArray(node.arguments) ? node.arguments.filter(isNode) : []
    return called !== undefined && nameOf(called.object) === "Math" && one !== undefined && other !== undefined
      ? [{ node, isMin: called.method === "min", one, other }]
      : []
  }
  return functionsIn(root, () => true)
    .filter(({ name }) => helpers.has(name))
    .flatMap(({ name, node }) => {
      const textOf = ({ end, start }: Node) => text.slice(start, end)
      const all = within(node).flatMap(choiceOf)
      // The smaller and the larger of the same two. Others are limits.
      const choices = all.filter(({ isMin, one, other }) =>
        all.some(
          (each) => each.isMin !== isMin && textOf(each.one) === textOf(one) && textOf(each.other) === textOf(other)
        )
      )
      if (choices.length === 0) return []
      const mutant = (fault: string, replacement: (choice: (typeof choices)[number]) => string): Mutant => ({
        file,
        line: lineAt(text, node.start),
        fault: `${name} ${fault}`,
        text: edited(
          text,
          choices.map((choice) => ({ start: choice.node.start, end: choice.node.end, text: replacement(choice) }))
        )
      })
      return [
        mutant("locks two rows backwards", ({ isMin, one, other }) => {
          return `Math.${isMin ? "max" : "min"}(${textOf(one)}, ${textOf(other)})`
        }),
        mutant("locks two rows in an order that is not sorted", ({ isMin, one, other }) => textOf(isMin ? one : other))
      ]
    })
}

/** The locks of a source in other orders. `helpers` are the names of the functions that lock, in whatever source. */
export const orderMutants = (file: string, text: string, helpers: ReadonlySet<string>): ReadonlyArray<Mutant> => {
  const root = parse(file, text)
  return [
    ...swapped(file, text, root, helpers),
    ...unsorted(file, text, root),
    ...unsortedPairs(file, text, root, helpers)
  ]
}
