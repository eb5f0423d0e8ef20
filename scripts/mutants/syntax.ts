import { parseSync } from "vite"

/** A node of the syntax tree of a source text, with its place in the text. */
export interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [property: string]: unknown
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string"

const known = new WeakMap<Node, ReadonlyArray<Node>>()

/** The nodes that a node consists of, in the order of the text. */
export const partsOf = (node: Node): ReadonlyArray<Node> => {
  const parts = known.get(node) ?? Object.values(node).flat().filter(isNode)
  known.set(node, parts)
  return parts
}

/** A node and all in it. Where `enter` returns false for a node, what is in that is left out. */
export const within = (node: Node, enter: (node: Node) => boolean = () => true): ReadonlyArray<Node> => {
  const found: Array<Node> = []
  const visit = (part: Node): void => {
    found.push(part)
    if (enter(part)) partsOf(part).forEach(visit)
  }
  visit(node)
  return found
}

export const isFunction = ({ type }: Node): boolean =>
  type === "ArrowFunctionExpression" || type === "FunctionExpression" || type === "FunctionDeclaration"

/** A node and what runs with it: not the bodies of the functions in it. */
export const runWith = (node: Node): ReadonlyArray<Node> => within(node, (part) => part === node || !isFunction(part))

export const parse = (file: string, text: string): Node => {
  const { errors, program } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} does not parse: ${errors[0]?.message}`)
  const root: unknown = program
  if (!isNode(root)) throw new Error(`${file} has no syntax tree`)
  return root
}

/** The name of an identifier, or of the last member of `a.b.c`. */
export const nameOf = (node: unknown): string | undefined => {
  if (!isNode(node)) return undefined
  if (node.type === "Identifier") return String(node.name)
  return node.type === "MemberExpression" && node.computed !== true ? nameOf(node.property) : undefined
}

/** The object whose method a call calls, if it does, and the name of the method. */
export const methodOf = (node: Node): { readonly object: Node; readonly method: string } | undefined => {
  const { callee } = node
  if (node.type !== "CallExpression" || !isNode(callee) || callee.type !== "MemberExpression") return undefined
  const method = nameOf(callee)
  return method !== undefined && isNode(callee.object) ? { object: callee.object, method } : undefined
}

/** The names that a declaration makes known. */
export const namesDeclared = (statement: Node): ReadonlyArray<string> => {
  if (statement.type !== "VariableDeclaration" || !Array.isArray(statement.declarations)) return []
  return statement.declarations
    .filter(isNode)
    .flatMap(({ id }) => (isNode(id) ? within(id).flatMap((part) => nameOf(part) ?? []) : []))
}

/** The names that are used in a node. */
export const namesUsed = (node: Node): ReadonlySet<string> =>
  new Set(within(node).flatMap((part) => (part.type === "Identifier" ? [String(part.name)] : [])))
