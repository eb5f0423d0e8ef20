import { parseSync } from "vite"

/** A part of a source, and what stands there instead in a mutant. */
export interface Place {
  readonly at: number
  readonly old: string
  readonly new: string
}

const operators: Readonly<Record<string, string>> = {
  "===": "!==",
  "!==": "===",
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "+": "-",
  "-": "+",
  "&&": "||",
  "||": "&&"
}

type Node = Readonly<Record<string, unknown>> & {
  readonly type: string
  readonly start: number
  readonly end: number
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && "type" in value && "start" in value && "end" in value

/** Whether a statement does nothing but leave its function, or the round of a loop. */
const leaves = (statement: Node): boolean =>
  ["ReturnStatement", "ThrowStatement", "ContinueStatement"].includes(statement.type) ||
  (statement.type === "BlockStatement" &&
    Array.isArray(statement.body) &&
    statement.body.length === 1 &&
    leaves(statement.body[0]))

/** The places of one node: its operator or its literal inverted, its guard or its effect removed. */
const placesOf = (node: Node, text: string): ReadonlyArray<Place> => {
  const whole = (part: Node, replacement: string): ReadonlyArray<Place> => [
    { at: part.start, old: text.slice(part.start, part.end), new: replacement }
  ]
  const { argument, consequent, expression, left, operator, right, test, value } = node
  if (/^(?:Binary|Logical)Expression$/.test(node.type) && isNode(left) && isNode(right)) {
    const inverted = operators[String(operator)]
    const at = text.indexOf(String(operator), left.end)
    return inverted === undefined || at >= right.start ? [] : [{ at, old: String(operator), new: inverted }]
  }
  if (node.type === "Literal" && typeof value === "boolean") return whole(node, String(!value))
  if (node.type === "IfStatement" && isNode(test) && isNode(consequent) && leaves(consequent))
    return whole(test, "false")
  if (node.type !== "ExpressionStatement" || !isNode(expression)) return []
  const effect = /^(?:Yield|Await)Expression$/.test(expression.type) && isNode(argument) ? argument : expression
  return /^(?:Call|Yield|Await)Expression$/.test(effect.type) ? whole(expression, "void 0") : []
}

/** Types have no effect; what wraps an expression for the compiler does. */
const isOfTypes = ({ type }: Node): boolean =>
  type.startsWith("TS") && !/^TS(?:As|NonNull|Satisfies)Expression$/.test(type)

/** Every place in a source where an operator, a literal, a guard or an effect could be wrong, in their order. */
export const placesIn = (file: string, text: string): ReadonlyArray<Place> => {
  const found: Array<Place> = []
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const one of value) visit(one)
    else if (isNode(value) && !isOfTypes(value)) {
      found.push(...placesOf(value, text))
      for (const [name, part] of Object.entries(value)) if (name !== "typeAnnotation") visit(part)
    }
  }
  visit(parseSync(file, text).program)
  return found.toSorted((a, b) => a.at - b.at)
}

/** The source with the replacement. */
export const replaced = (text: string, { at, new: instead, old }: Place): string => {
  if (text.slice(at, at + old.length) !== old) throw new Error(`The source does not have ${old} at ${at}`)
  return text.slice(0, at) + instead + text.slice(at + old.length)
}
