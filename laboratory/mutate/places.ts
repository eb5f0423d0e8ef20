import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parseSync } from "vite"
import { root } from "../../packages/test/support/workspace.ts"

/** A part of a source, and what a fault makes of it. */
export interface Place {
  readonly at: number
  readonly old: string
  readonly new: string
  /** The expression around it, and what to write before it, instead of its operator, and after it: `#` stands for its number. */
  readonly start: number
  readonly end: number
  readonly code: readonly [before: string, after: string, operator?: string]
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

/**
 * The program that the sources with their switches call as `$fault`. Its `on` is the number of the fault; its `hits` are the places
 * where a fault would have had another value than the source. The operands of `&&` and `||` stay where they are, because they may
 * yield or wait: `last` is the left one.
 */
export const switches = (count: number): string => `globalThis.$fault = {
  on: -1,
  hits: new Uint8Array(${count}),
  last: undefined,
  at(n) { this.hits[n] = 1; return n === this.on },
  not(n, value) { return this.at(n) ? !value : value },
  guard(n, value) { if (value) this.hits[n] = 1; return n === this.on ? false : value },
  either(n, value, other) { if (value !== other) this.hits[n] = 1; return n === this.on ? other : value },
  same: (value) => value,
  "&&"(n, left) { this.last = left; return this.at(n) ? !left : left },
  "||"(n, left) { this.last = left; return this.at(n) ? left : !left },
  ${["===", "!==", "<", "<=", ">", ">=", "+", "-"]
    .map((operator) => `"${operator}"(n, a, b) { return this.either(n, a ${operator} b, a ${operators[operator]} b) }`)
    .join(",\n  ")}
}`

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
  const whole = ({ end, start }: Node, instead: string, ...code: Place["code"]): ReadonlyArray<Place> => [
    { at: start, old: text.slice(start, end), new: instead, start, end, code }
  ]
  const { argument, consequent, expression, left, operator, right, test, value } = node
  if (/^(?:Binary|Logical)Expression$/.test(node.type) && isNode(left) && isNode(right)) {
    const old = String(operator)
    const inverted = operators[old]
    const at = text.indexOf(old, left.end)
    if (inverted === undefined || at >= right.start) return []
    const call = `$fault["${old}"](#,`
    const code: Place["code"] = node.type.startsWith("Logical")
      ? [`$fault.same(${call}`, "):$fault.last)", ")?("]
      : [call, ")", ","]
    return [{ at, old, new: inverted, start: node.start, end: node.end, code }]
  }
  if (node.type === "Literal" && typeof value === "boolean") return whole(node, String(!value), "$fault.not(#,", ")")
  if (node.type === "IfStatement" && isNode(test) && isNode(consequent) && leaves(consequent))
    return whole(test, "false", "$fault.guard(#,", ")")
  if (node.type !== "ExpressionStatement" || !isNode(expression)) return []
  const effect = /^(?:Yield|Await)Expression$/.test(expression.type) && isNode(argument) ? argument : expression
  return /^(?:Call|Yield|Await)Expression$/.test(effect.type)
    ? whole(expression, "void 0", "$fault.at(#)?void 0:(", ")")
    : []
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

/** The source with a switch at each of its places, whose numbers begin with `first`. Its lines stay where they were. */
export const withSwitches = (text: string, places: ReadonlyArray<Place>, first: number): string => {
  const written = new Map<number, { readonly after: Array<string>; operator: string; readonly before: Array<string> }>()
  const at = (offset: number) => {
    const there = written.get(offset) ?? { after: [], operator: "", before: [] }
    written.set(offset, there)
    return there
  }
  const outerFirst = places
    .map((place, index) => ({ ...place, code: place.code.map((part) => part?.replace("#", String(first + index))) }))
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
  for (const { at: place, code, end, start } of outerFirst) {
    const [before = "", after = "", operator = ""] = code
    at(start).before.push(before)
    at(end).after.unshift(after)
    if (operator !== "") at(place).operator = operator
  }
  const lengths = new Map(
    places.flatMap(({ at: place, code, old }) => (code[2] === undefined ? [] : [[place, old.length]]))
  )
  let [done, result] = [0, ""]
  for (const [offset, { after, before, operator }] of [...written].toSorted(([a], [b]) => a - b)) {
    result += text.slice(done, offset) + after.join("") + operator + before.join("")
    done = offset + (lengths.get(offset) ?? 0)
  }
  return result + text.slice(done)
}

/** A place with the number of its switch. */
export interface Fault extends Place {
  /** In the repository. */
  readonly file: string
  readonly number: number
}

/** Every fault of a source of the core. */
export const allFaults = (): ReadonlyArray<Fault> =>
  globSync("packages/core/src/**/*.ts", { cwd: root, exclude: ["**/*.test.ts"] })
    .toSorted()
    .flatMap((file) => placesIn(file, readFileSync(join(root, file), "utf8")).map((place) => ({ ...place, file })))
    .map((place, number) => ({ ...place, number }))
