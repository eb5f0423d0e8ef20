import ts from "typescript"

/** The entry of one export on a page. */
export interface Description {
  readonly name: string
  readonly doc: string
  readonly kind: "error" | "value" | "class" | "type" | "namespace"
  /** The declaration, as TypeScript. */
  readonly code: string
  /** The example of the docstring, in Markdown. */
  readonly example: string
  /** Of an error class. */
  readonly error?: { readonly code: string; readonly status: string; readonly details: string }
  /** Of a namespace. */
  readonly members: ReadonlyArray<Description>
}

const flags = ts.TypeFormatFlags.NoTruncation | ts.TypeFormatFlags.UseAliasDefinedOutsideCurrentScope
/** Longer inferred types are left out; the declaration is enough. */
const readable = 400

const oneIndent = (text: string, node: ts.Node): string => {
  const { character } = ts.getLineAndCharacterOfPosition(node.getSourceFile(), node.getStart())
  return text.replaceAll(`\n${" ".repeat(character)}`, "\n")
}

const isPrivate = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) &&
  (ts.getModifiers(node) ?? []).some(
    ({ kind }) => kind === ts.SyntaxKind.PrivateKeyword || kind === ts.SyntaxKind.ProtectedKeyword
  )

/** Whether the name of a symbol may be used as a type. */
export const isType = ({ flags }: ts.Symbol): boolean =>
  (flags & (ts.SymbolFlags.Type | ts.SymbolFlags.Namespace)) !== 0

const basesOf = (node: ts.InterfaceDeclaration): ReadonlyArray<ts.ExpressionWithTypeArguments> =>
  (node.heritageClauses ?? []).flatMap(({ types }) => [...types])

const isTypeOfSchema = (base: ts.ExpressionWithTypeArguments): boolean =>
  base.expression.getText() === "Schema.Schema.Type"

/** Whether a type alias is that of a value, such as a schema of literals. */
const isTypeOfValue = (node: ts.TypeAliasDeclaration): boolean => /^typeof /.test(node.type.getText())

/** A name for a parameter that is taken apart, after its type. */
const nameFor = (type: string): string => {
  const [word] = /^\w+/.exec(type) ?? []
  return word === undefined || ["Omit", "Partial", "Pick", "Readonly"].includes(word)
    ? "options"
    : word.charAt(0).toLowerCase() + word.slice(1)
}

/** Describes exports from their declarations, as they are written. */
export class Describer {
  private readonly checker: ts.TypeChecker
  /** The names under which the types of schemas are exported. */
  private readonly names = new Map<ts.Type, string>()

  constructor(program: ts.Program) {
    this.checker = program.getTypeChecker()
  }

  /** The exports of a module, by name. */
  exportsOf(module: ts.Symbol): ReadonlyMap<string, ts.Symbol> {
    const named = this.checker.getExportsOfModule(module).map((symbol) => [symbol.name, this.resolve(symbol)] as const)
    for (const [name, symbol] of named) this.learnName(name, symbol)
    return new Map(named.sort(([a], [b]) => (a < b ? -1 : 1)))
  }

  /** `isValue`: whether it is there at run time. Members of a namespace that `isKnown` are left out, as they are described elsewhere. */
  describe(name: string, symbol: ts.Symbol, isValue: boolean, isKnown: (symbol: ts.Symbol) => boolean): Description {
    const doc = ts
      .displayPartsToString(symbol.getDocumentationComment(this.checker))
      .replace(/\{@link ([^}]+?) *\}/g, "`$1`")
      .trim()
    const described = { name, doc, example: this.exampleOf(symbol), members: [] }
    if (symbol.flags & ts.SymbolFlags.ValueModule) {
      const members = [...this.exportsOf(symbol)]
        .filter(([, target]) => !isKnown(target))
        .map(([member, target]) => this.describe(member, target, true, isKnown))
      return { ...described, doc: this.docOfModule(symbol), kind: "namespace", code: "", members }
    }
    const error = this.errorOf(symbol)
    if (error !== undefined) return { ...described, kind: "error", code: "", error }
    const declaration = symbol.declarations?.find(ts.isClassDeclaration)
    if (declaration !== undefined) {
      return { ...described, kind: isValue ? "class" : "type", code: this.classCode(declaration) }
    }
    if (symbol.flags & ts.SymbolFlags.Value && !(symbol.flags & ts.SymbolFlags.Type)) {
      return { ...described, kind: "value", code: this.valueCode(name, symbol) }
    }
    return { ...described, kind: "type", code: this.typeCode(symbol, isValue) }
  }

  private learnName(name: string, symbol: ts.Symbol): void {
    for (const node of symbol.declarations ?? []) {
      if (ts.isTypeAliasDeclaration(node) && isTypeOfValue(node)) {
        this.names.set(this.checker.getDeclaredTypeOfSymbol(symbol), name)
      } else if (ts.isInterfaceDeclaration(node)) {
        const [base] = basesOf(node).filter(isTypeOfSchema)
        if (base !== undefined) this.names.set(this.checker.getTypeAtLocation(base), name)
      }
    }
  }

  private resolve(symbol: ts.Symbol): ts.Symbol {
    return symbol.flags & ts.SymbolFlags.Alias ? this.checker.getAliasedSymbol(symbol) : symbol
  }

  private exampleOf(symbol: ts.Symbol): string {
    const example = symbol.getJsDocTags(this.checker).find((tag) => tag.name === "example")
    return ts.displayPartsToString(example?.text).trim()
  }

  private docOfModule(symbol: ts.Symbol): string {
    const text = symbol.declarations?.[0]?.getSourceFile().text ?? ""
    return docOfFile(text)
  }

  private show(type: ts.Type, at: ts.Node): string {
    const text = this.checker.typeToString(type, at, flags)
    return text.length <= readable ? text : "..."
  }

  private errorOf(symbol: ts.Symbol): Description["error"] {
    if (!(symbol.flags & ts.SymbolFlags.Class)) return undefined
    const type = this.checker.getDeclaredTypeOfSymbol(symbol)
    const at = symbol.declarations?.[0]
    const literal = (name: string): string | undefined => {
      const property = type.getProperty(name)
      const found = property && at && this.checker.getTypeOfSymbol(property)
      return found?.isLiteral() ? String(found.value) : undefined
    }
    const code = literal("code")
    const status = literal("status")
    const details = type.getProperty("details")
    if (code === undefined || status === undefined || details === undefined || at === undefined) return undefined
    const fields = this.checker
      .getTypeOfSymbol(details)
      .getProperties()
      // Any error of a call with several items has an index: see ItemDetails.
      .filter(({ name }) => name !== "index")
      .map(({ name }) => `\`${name}\``)
    return { code, status, details: fields.join(", ") }
  }

  private classCode(node: ts.ClassDeclaration): string {
    const heritage = (node.heritageClauses ?? []).map((clause) => ` ${clause.getText()}`).join("")
    const parameters =
      node.typeParameters === undefined ? "" : `<${node.typeParameters.map((p) => p.getText()).join(", ")}>`
    const members = node.members.filter((member) => !isPrivate(member)).flatMap((member) => this.memberCode(member))
    return oneIndent(
      `class ${node.name?.text}${parameters}${heritage} {${members.map((line) => `\n  ${line}`).join("")}${members.length === 0 ? "" : "\n"}}`,
      node
    )
  }

  private memberCode(member: ts.ClassElement): ReadonlyArray<string> {
    const docs = ts.getJSDocCommentsAndTags(member).map((doc) => doc.getText())
    const modifiers = ts.canHaveModifiers(member)
      ? (ts.getModifiers(member) ?? [])
          .map((modifier) => `${modifier.getText()} `)
          .filter((text) => text !== "declare ")
      : []
    const head = modifiers.join("")
    if (ts.isPropertyDeclaration(member)) {
      return [
        ...docs,
        `${head}${member.name.getText()}: ${member.type?.getText() ?? this.show(this.checker.getTypeAtLocation(member), member)}`
      ]
    }
    if (ts.isMethodDeclaration(member) || ts.isConstructorDeclaration(member) || ts.isGetAccessor(member)) {
      const name = ts.isConstructorDeclaration(member)
        ? "constructor"
        : `${ts.isGetAccessor(member) ? "get " : ""}${member.name.getText()}`
      return [...docs, `${head}${name}${this.signature(member, ": ")}`]
    }
    return []
  }

  private signature(node: ts.SignatureDeclaration, arrow: string): string {
    const types = node.typeParameters === undefined ? "" : `<${node.typeParameters.map((p) => p.getText()).join(", ")}>`
    const parameters = node.parameters.map((parameter) => {
      const { initializer, name, type } = parameter
      const isPlain = ts.isIdentifier(name)
      if (isPlain && initializer === undefined) return parameter.getText()
      const typeText = type?.getText() ?? this.show(this.checker.getTypeAtLocation(parameter), parameter)
      return `${isPlain ? name.text : nameFor(typeText)}${initializer === undefined ? "" : "?"}: ${typeText}`
    })
    if (ts.isConstructorDeclaration(node)) return `(${parameters.join(", ")})`
    const signature = this.checker.getSignatureFromDeclaration(node)
    const result = node.type?.getText() ?? (signature ? this.show(signature.getReturnType(), node) : "...")
    return `${types}(${parameters.join(", ")})${arrow}${result}`
  }

  private valueCode(name: string, symbol: ts.Symbol): string {
    const node = symbol.valueDeclaration
    if (node === undefined) return ""
    if (ts.isFunctionDeclaration(node)) return oneIndent(`function ${name}${this.signature(node, ": ")}`, node)
    if (!ts.isVariableDeclaration(node)) return node.getText()
    const { initializer, type } = node
    if (type !== undefined) return oneIndent(`const ${name}: ${type.getText()}`, node)
    if (initializer !== undefined && ts.isArrowFunction(initializer)) {
      return oneIndent(`const ${name}: ${this.signature(initializer, " => ")}`, node.parent.parent)
    }
    const shown = this.show(this.checker.getTypeOfSymbol(symbol), node)
    const isShort = initializer !== undefined && initializer.getText().length <= 2 * readable
    if (shown !== "...") return `const ${name}: ${shown}`
    return isShort ? `const ${name} = ${initializer.getText()}` : ""
  }

  private typeCode(symbol: ts.Symbol, isValue: boolean): string {
    const node = symbol.declarations?.find((one) => ts.isInterfaceDeclaration(one) || ts.isTypeAliasDeclaration(one))
    if (node === undefined) return ""
    const ofSchema = ts.isInterfaceDeclaration(node) ? this.comesFromSchema(node) : isTypeOfValue(node)
    if (!ofSchema) return oneIndent(node.getText().replace(/^export /, ""), node)
    const type = this.checker.getTypeAtLocation(node.name)
    const schema = isValue ? "// The schema of the same name gives the type.\n" : ""
    if (!(type.flags & ts.TypeFlags.Object)) return `${schema}type ${symbol.name} = ${this.literals(symbol, node)}`
    const fields = this.inOrder(type.getProperties(), node).map((field) => this.fieldCode(field, node))
    return `${schema}interface ${symbol.name} {\n${fields.join("")}}`
  }

  /** Whether the fields of an interface, or some of them, are those of a schema, which its declaration does not show. */
  private comesFromSchema(node: ts.InterfaceDeclaration): boolean {
    return basesOf(node).some((base) => {
      if (base.getText().includes("Schema.Schema.Type<")) return true
      const declarations = this.checker.getTypeAtLocation(base).symbol?.declarations ?? []
      return declarations.some((one) => ts.isInterfaceDeclaration(one) && this.comesFromSchema(one))
    })
  }

  /** The id, then fields as they stand in the source, those of other files first; the order of the checker is another. */
  private inOrder(fields: ReadonlyArray<ts.Symbol>, at: ts.Node): ReadonlyArray<ts.Symbol> {
    const ownFile = at.getSourceFile()
    const place = ({ declarations: [first] = [], name }: ts.Symbol): number =>
      first === undefined || name === "id"
        ? Number.MIN_SAFE_INTEGER
        : first.getStart() + (first.getSourceFile() === ownFile ? 0 : -ownFile.end - first.getSourceFile().end)
    return fields.toSorted((a, b) => place(a) - place(b))
  }

  private fieldCode(field: ts.Symbol, at: ts.Node): string {
    const isOptional = (field.flags & ts.SymbolFlags.Optional) !== 0
    const type = this.checker.getTypeOfSymbol(field)
    // Keys of schemas are absent or have a value; the checker shows the absence as undefined.
    const shown = this.named(isOptional ? this.checker.getNonNullableType(type) : type) ?? this.show(type, at)
    const fieldType = isOptional ? shown.replace(/ \| undefined$/, "") : shown
    const docs = ts.displayPartsToString(field.getDocumentationComment(this.checker))
    return `${docs === "" ? "" : `  /** ${docs} */\n`}  readonly ${field.name}${isOptional ? "?" : ""}: ${fieldType}\n`
  }

  /** The name of a type that is exported under one, or of an array of such. */
  private named(type: ts.Type): string | undefined {
    const name = this.names.get(type)
    if (name !== undefined || !this.checker.isArrayType(type)) return name
    const [item] = this.checker.getTypeArguments(type as ts.TypeReference)
    const itemName = item && this.names.get(item)
    return itemName === undefined ? undefined : `ReadonlyArray<${itemName}>`
  }

  /** A union of literals in the order of its schema, which the checker does not keep. */
  private literals(symbol: ts.Symbol, at: ts.Node): string {
    const property = this.checker.getTypeOfSymbol(symbol).getProperty("literals")
    const tuple = property && this.checker.getTypeOfSymbol(property)
    if (tuple === undefined || !this.checker.isTupleType(tuple)) {
      const type = this.checker.getDeclaredTypeOfSymbol(symbol)
      return this.checker.typeToString(type, at, flags | ts.TypeFormatFlags.InTypeAlias)
    }
    const literals = this.checker.getTypeArguments(tuple as ts.TypeReference)
    return literals.map((literal) => this.show(literal, at)).join(" | ")
  }
}

/** The comment that a file begins with. */
export const docOfFile = (text: string): string =>
  (/^\/\*\*([\s\S]*?)\*\/\n(?=\n|export [{*])/.exec(text)?.[1] ?? "")
    .replace(/^\s*\* ?/gm, "")
    .replace(/^@example[\s\S]*/m, "")
    .trim()
