import { parseAst } from "rolldown/parseAst"

/** @typedef {import("rolldown/utils").ESTree.Statement | import("rolldown/utils").ESTree.Directive} Statement */
/** @typedef {import("rolldown/utils").ESTree.Expression} Expression */

// Without the marks, one error class would bring 80 KiB into an app. Destructuring cannot be marked: there is none outside of functions.

/** Whether every bundler sees that nothing happens when this is evaluated. @type {(node: Expression) => boolean} */
const isPlain = (node) => {
  if (node.type === "TemplateLiteral") return node.expressions.length === 0
  if (node.type === "UnaryExpression") return isPlain(node.argument)
  if (node.type === "TSAsExpression" || node.type === "TSSatisfiesExpression") return isPlain(node.expression)
  return ["Literal", "Identifier", "ArrowFunctionExpression", "FunctionExpression"].includes(node.type)
}

/** What is evaluated when a module is loaded: the values of its constants, the classes that it extends, and what is static in classes. @param {Statement} statement */
const evaluated = (statement) => {
  const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement
  if (declaration?.type === "VariableDeclaration") return declaration.declarations.map(({ init }) => init)
  if (declaration?.type !== "ClassDeclaration") return []
  const values = declaration.body.body.map((member) => {
    if (member.type === "StaticBlock") return member
    return member.type === "PropertyDefinition" && member.static ? member.value : null
  })
  return [declaration.superClass, ...values]
}

/**
 * Marks what is evaluated when a module is loaded as free of side effects. `sideEffects: false` says so of a whole file, which is of no use
 * to an app that needs a part of a file made of many modules: bundlers leave the rest of it out by these marks. A mark is for a
 * call, whose arguments bundlers look at themselves, so each value becomes the result of a function without arguments.
 *
 * @param {string} code TypeScript
 */
export const withoutSideEffects = (code) => {
  let [result, at] = ["", 0]
  for (const node of parseAst(code, { lang: "ts" }).body.flatMap(evaluated)) {
    if (!node || (node.type !== "StaticBlock" && isPlain(node))) continue
    const text = code.slice(node.start, node.end)
    result += code.slice(at, node.start)
    result +=
      node.type === "StaticBlock"
        ? // A field can be marked, a block cannot.
          `static #evaluated${node.start} = /* @__PURE__ */ (() => ${text.slice(text.indexOf("{"))})();`
        : `/* @__PURE__ */ (() => (${text}))()`
    at = node.end
  }
  return result + code.slice(at)
}
