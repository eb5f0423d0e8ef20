import { closest } from "@petstore/core/domain"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as SchemaAST from "effect/SchemaAST"
import { type Operation, operations, parameterNames } from "../../api/operations.ts"
import { makeHandler } from "../../server/createHandler.ts"
import { webhookSender } from "../../webhooks/webhookSender.ts"
import { openExisting } from "../database.ts"
import { SubcommandFailed, UsageError } from "../errors.ts"
import { type Database, type SecretKeys, withSecretKeys } from "../settings.ts"
import { confirmed } from "../terminal/confirmed.ts"
import { table } from "../terminal/table.ts"
import { outputWidth, printable } from "../terminal/text.ts"

interface CallInput {
  readonly database: Database
  readonly operation: string
  readonly fields: ReadonlyArray<string>
  readonly webhookAddresses: ReadonlyArray<string>
  readonly secretKeys: SecretKeys
  readonly json: boolean
  readonly yes: boolean
}

type Fields = Readonly<Record<string, unknown>>

/** The values of each field, in the order in which they were given. */
type Given = ReadonlyMap<string, ReadonlyArray<string>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const callable = operations.filter(({ streams }) => streams === undefined)

const operationOf = (id: string): Operation | UsageError => {
  const ids = callable.map((operation) => operation.id)
  const called = callable.find((operation) => operation.id === id)
  if (called !== undefined) return called
  const meant = closest(id, ids)
  const choice = meant === undefined ? `Choose one of ${ids.join(", ")}` : `Did you mean ${meant}?`
  return new UsageError({ message: `There is no operation ${JSON.stringify(id)}. ${choice}` })
}

const readFields = (texts: ReadonlyArray<string>): Given | UsageError => {
  const given = new Map<string, Array<string>>()
  for (const text of texts) {
    const [, name, value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? []
    if (name === undefined) {
      return new UsageError({
        message: `NAME=VALUE takes a field, such as status=failed, not ${JSON.stringify(text)}`
      })
    }
    given.set(name, [...(given.get(name) ?? []), value])
  }
  return given
}

/** Whether a value of this type is a text, which needs no quotes. */
const isText = (ast: SchemaAST.AST): boolean => {
  const encoded = SchemaAST.toEncoded(ast)
  if (SchemaAST.isUnion(encoded)) return encoded.types.some(isText)
  return SchemaAST.isString(encoded) || (SchemaAST.isLiteral(encoded) && typeof encoded.literal === "string")
}

const isNullable = (ast: SchemaAST.AST): boolean => SchemaAST.isUnion(ast) && ast.types.some(SchemaAST.isNull)

/** A value of a body as JSON, or as it is if its field takes texts or if it is no JSON. */
const bodyValue = (ast: SchemaAST.AST | undefined, text: string): unknown => {
  if (ast !== undefined && isText(ast) && !(text === "null" && isNullable(ast))) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

const bodyOf = (body: { readonly ast: SchemaAST.AST }, fields: ReadonlyArray<readonly [string, string]>): string => {
  const known = SchemaAST.isObjects(body.ast) ? body.ast.propertySignatures : []
  return JSON.stringify(
    Object.fromEntries(
      fields.map(([name, text]) => [name, bodyValue(known.find((field) => field.name === name)?.type, text)])
    )
  )
}

/** The requests of an operation, one for each value of a field of its path. The other fields are in the query or in the body. */
const requestsOf = ({ body, method, path }: Operation, given: Given): ReadonlyArray<() => Request> | UsageError => {
  const inPath = parameterNames(path)
  const missing = inPath.find((name) => !given.has(name))
  if (missing !== undefined) return new UsageError({ message: `${missing}=VALUE is missing` })
  const rest = [...given].flatMap(([name, values]) =>
    inPath.includes(name) ? [] : values.map((value) => [name, value] as const)
  )
  const paths = inPath.reduce<ReadonlyArray<string>>(
    (all, name) =>
      all.flatMap((one) => (given.get(name) ?? []).map((value) => one.replace(`:${name}`, encodeURIComponent(value)))),
    [path]
  )
  return paths.map((one) => () => {
    const url = new URL(`http://localhost${one}`)
    if (body !== undefined) {
      return new Request(url, { method, headers: { "Content-Type": "application/json" }, body: bodyOf(body, rest) })
    }
    for (const [name, value] of rest) url.searchParams.append(name, value)
    return new Request(url, { method })
  })
}

const cellOf = (value: unknown): string =>
  value === undefined ? "-" : printable(typeof value === "object" ? JSON.stringify(value) : String(value))

/** A list as a table with a column for each field, and anything else as JSON. */
const shown = (value: unknown, json: boolean): string => {
  if (json || !Array.isArray(value) || value.length === 0 || !value.every(isFields)) {
    return JSON.stringify(value, null, 2)
  }
  const names = [...new Set(value.flatMap((item) => Object.keys(item)))]
  return table([names, ...value.map((item) => names.map((name) => cellOf(item[name])))], outputWidth())
}

/** An error of the API, which names the fields of violations as they are given here. */
const refusal = (status: number, { message, violations }: Fields): SubcommandFailed | UsageError => {
  if (status !== 400 && status !== 422) return new SubcommandFailed({ message: String(message) })
  const problems = (Array.isArray(violations) ? violations.filter(isFields) : []).map(
    (violation) => `${String(violation.path).replace(/^\/\w+\//, "")}: ${violation.message}`
  )
  return new UsageError({ message: problems.length === 0 ? String(message) : problems.join("; ") })
}

/** What a request returns; the items of all pages if it is a list. */
const answerTo = (fetch: (request: Request) => Promise<Response>, request: Request, isLimited: boolean) =>
  Effect.gen(function* () {
    const items: Array<unknown> = []
    for (let next = request; ; ) {
      const response = yield* Effect.promise(() => fetch(next))
      const text = yield* Effect.promise(() => response.text())
      const body: unknown = text === "" ? undefined : JSON.parse(text)
      if (!response.ok) return yield* Effect.fail(refusal(response.status, isFields(body) ? body : {}))
      if (!Array.isArray(body)) return body
      items.push(...body)
      const [, link] = /<([^<>]+)>; rel="next"/.exec(response.headers.get("Link") ?? "") ?? []
      if (link === undefined || isLimited) return items
      next = new Request(new URL(link, request.url))
    }
  })

/** Calls an operation of the REST API on a database, as its owner, and prints what it returns. */
export const run = ({ database, fields, json, operation: id, secretKeys, webhookAddresses, yes }: CallInput) =>
  Effect.gen(function* () {
    const operation = operationOf(id)
    if (operation instanceof UsageError) return yield* operation
    const given = readFields(fields)
    if (given instanceof UsageError) return yield* given
    const requests = requestsOf(operation, given)
    if (requests instanceof UsageError) return yield* requests
    // What a request of another method changes can be changed back.
    if (operation.method === "DELETE" || id === "discardParkedEvent") {
      yield* confirmed(`${id} ${fields.join(" ")}: this cannot be undone. Continue?`, yes)
    }
    const calls = Effect.gen(function* () {
      const handler = yield* makeHandler({
        authenticate: () => ({ actor: "owner", scopes: ["admin"] }),
        basePath: "",
        rateLimit: "off"
      })
      for (const request of requests) {
        const answer = yield* answerTo(handler.fetch, request(), given.has("limit"))
        if (answer !== undefined) yield* Console.log(shown(answer, json || process.stdout.isTTY !== true))
      }
    })
    const options = { webhooks: webhookSender({ allowAddresses: webhookAddresses }), ...withSecretKeys(secretKeys) }
    yield* Effect.provide(calls, openExisting(database, options))
  })
