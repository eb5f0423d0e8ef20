import { type OpenApi, openApiDocument } from "@petstore/http/openapi"
import fc from "fast-check"
import { methods } from "../../packages/http/src/openapi/OpenApi.ts"
import { conforms, invalidated, isWellFormed, resolved, type Schema, textConforms, valueFor } from "./values.ts"

/** Whether a request is valid by the document; undefined if the document does not define it. */
export type Expectation = "valid" | "invalid" | undefined

/** A request and its expectation. */
export interface FuzzRequest {
  readonly operationId: string
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly expectation: Expectation
}

type PathItem = OpenApi["paths"][string]
type Operation = NonNullable<PathItem["get"]>
type Parameter = OpenApi["components"]["parameters"][string]

interface Part<A> {
  readonly value: A
  readonly expectation: Expectation
}

const document = openApiDocument()

const both = (parts: ReadonlyArray<Expectation>): Expectation =>
  parts.includes("invalid") ? "invalid" : parts.includes(undefined) ? undefined : "valid"

const parametersOf = (operation: Operation, place: Parameter["in"]): ReadonlyArray<Parameter> =>
  (operation.parameters ?? [])
    .map((parameter): Parameter => {
      if (!("$ref" in parameter)) return parameter
      const found = document.components.parameters[parameter.$ref.slice(parameter.$ref.lastIndexOf("/") + 1)]
      if (found === undefined) throw new Error(`Unknown parameter ${parameter.$ref}`)
      return found
    })
    .filter((parameter) => parameter.in === place)

const oddTexts = [
  "",
  "0",
  "-1",
  "1.5",
  "1e3",
  "007",
  "+5",
  "abc",
  "9007199254740992",
  "null",
  "true,false",
  "%00",
  "\u0000",
  "é"
]

/** The text of a parameter, sometimes an invalid one. */
const parameterText = (schema: Schema, known: ReadonlyArray<string>): fc.Arbitrary<string> =>
  fc.oneof(
    { weight: 8, arbitrary: known.length === 0 ? valueFor(schema).map(String) : fc.constantFrom(...known) },
    { weight: 1, arbitrary: fc.constantFrom(...oddTexts) }
  )

/** `encodeURIComponent` throws for half of a surrogate pair. */
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed())

const expectationOf = (schema: Schema, text: string): Expectation =>
  !text.isWellFormed() ? undefined : textConforms(schema, text) ? "valid" : "invalid"

const pathOf = (template: string, operation: Operation, messageId: string): fc.Arbitrary<Part<string>> => {
  const parameters = parametersOf(operation, "path")
  return fc
    .tuple(
      ...parameters.map(({ name, schema }) =>
        parameterText(resolved(schema), name === "messageId" ? [messageId, "msg_0"] : []).filter((text) => text !== "")
      )
    )
    .map((texts) => ({
      value: parameters.reduce(
        (path, { name }, index) => path.replace(`{${name}}`, encoded(texts[index] ?? "")),
        template
      ),
      expectation: both(parameters.map(({ schema }, index) => expectationOf(resolved(schema), texts[index] ?? "")))
    }))
}

/** Nothing is expected of cursors: those of other lists have the same pattern. */
const queryPair = ({ name, schema }: Parameter): fc.Arbitrary<ReadonlyArray<Part<readonly [string, string]>>> => {
  const { items, type, ...rest } = resolved(schema)
  const single = items === undefined ? { type, ...rest } : resolved(items)
  const texts = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.array(parameterText(single as Schema, []), { minLength: 1, maxLength: items === undefined ? 1 : 3 })
    },
    { weight: 1, arbitrary: fc.array(parameterText(single as Schema, []), { minLength: 2, maxLength: 2 }) }
  )
  return texts.map((all) =>
    all.map((text) => ({
      value: [name, text] as const,
      expectation:
        items === undefined && all.length > 1
          ? "invalid"
          : name === "cursor"
            ? undefined
            : expectationOf(single as Schema, text)
    }))
  )
}

/** Filters of lists whose index a store has only if it is switched on. */
const onDemand = ["search", "metadata", "createdAfter", "createdBefore", "updatedAfter"]

const queryOf = (operation: Operation): fc.Arbitrary<Part<string>> => {
  // The health endpoints ignore query parameters.
  const rejected = operation.security.length > 0
  const unknown: Part<readonly [string, string]> = {
    value: ["colour", "red"],
    expectation: rejected ? "invalid" : undefined
  }
  return fc
    .tuple(
      fc.subarray([...parametersOf(operation, "query")]).chain((some) => fc.tuple(...some.map(queryPair))),
      fc.boolean().chain((plain) => (plain ? fc.constant(false) : fc.integer({ min: 0, max: 9 }).map((n) => n === 0)))
    )
    .map(([pairs, more]) => {
      const all = [...pairs.flat(), ...(more ? [unknown] : [])]
      const has = (field: string) => all.some(({ value: [name] }) => name === field)
      // Whether it may be absent depends on the store, and how a list is sorted on its filters.
      const sortsBy = (pattern: RegExp) =>
        all.every(({ value: [name, value] }) => name !== "sort" || pattern.test(value))
      const isOpen =
        operation.operationId === "setReservation"
          ? !has("reserveFor")
          : (has("name") && !sortsBy(/^-?name$/)) || !sortsBy(/^-?(?:id|name)$/) || onDemand.some(has)
      const text = all.map(({ value: [name, value] }) => `${encoded(name)}=${encoded(value)}`).join("&")
      return {
        value: text === "" ? "" : `?${text}`,
        expectation: both([...all.map(({ expectation }) => expectation), ...(isOpen ? [undefined] : [])])
      }
    })
}

const field = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** Whether a body has a time that must be in the future, or several items about one pet: no schema can rule that out. */
const isOpenBody = (body: unknown): boolean => {
  const items = field(body, "items")
  const petIds = Array.isArray(items) ? items.map((item) => field(item, "petId")) : []
  return field(body, "expiresAt") !== undefined || new Set(petIds).size < petIds.length
}

const headerTexts: Readonly<Record<string, ReadonlyArray<string>>> = {
  "If-Match": ["*", '"p1"', '"v1"', '"s2", "p1-s1"', 'W/"v1"', "v1", '"'],
  "If-None-Match": ["*", '"p1"', '"v1"', '"s2", "p1-s1"', 'W/"v1"', "v1", '"'],
  "Idempotency-Key": ["a", "b", '"a"', "c4", '"', "a b", "x".repeat(256)],
  "X-Request-Id": ["checkout-4711", "a b", "x".repeat(200), "<script>"]
}

/** An invalid header may be ignored or rejected. */
const headersOf = (operation: Operation): fc.Arbitrary<Part<Readonly<Record<string, string>>>> => {
  const parameters = parametersOf(operation, "header")
  return fc.subarray([...parameters]).chain((some) =>
    fc.tuple(...some.map(({ name }) => fc.constantFrom(...(headerTexts[name] ?? ["x"])))).map((texts) => ({
      value: Object.fromEntries(some.map(({ name }, index) => [name, texts[index] ?? ""])),
      expectation: both(
        some.map(({ schema }, index) => (conforms(resolved(schema), texts[index]) ? "valid" : undefined))
      )
    }))
  )
}

const jsonTypes = ["application/json", "application/json; charset=utf-8", "Application/JSON"]
const otherTypes = ["text/plain", "application/x-www-form-urlencoded", "application/json-patch+json"]
const notJson = ["", "{", "nul", '{"name":"x"} x', "\ufeff{}", "NaN"]

interface Content {
  readonly body: string
  readonly type: string
}

const contentOf = ({ requestBody }: Operation): fc.Arbitrary<Part<Content | undefined>> => {
  const schema = requestBody?.content["application/json"]?.schema
  if (schema === undefined) return fc.constant({ value: undefined, expectation: "valid" })
  const valid = valueFor(schema)
  const json = fc
    .oneof({ weight: 3, arbitrary: valid }, { weight: 2, arbitrary: valid.chain(invalidated) })
    .map((value): Part<string> => {
      const body = JSON.stringify(value)
      const sent: unknown = JSON.parse(body)
      const invalid = !conforms(schema, sent)
      return {
        value: body,
        expectation: invalid ? "invalid" : isWellFormed(sent) && !isOpenBody(sent) ? "valid" : undefined
      }
    })
  const broken = fc.constantFrom(...notJson).map((value): Part<string> => ({ value, expectation: "invalid" }))
  return fc
    .tuple(
      fc.oneof({ weight: 12, arbitrary: json }, { weight: 1, arbitrary: broken }),
      fc.oneof(
        { weight: 12, arbitrary: fc.constantFrom(...jsonTypes) },
        { weight: 1, arbitrary: fc.constantFrom(...otherTypes) }
      )
    )
    .map(([{ expectation, value }, type]) => ({
      value: { body: value, type },
      expectation: otherTypes.includes(type) ? "invalid" : expectation
    }))
}

/** The `Authorization` header. */
const credentialsOf = (operation: Operation, key: string): fc.Arbitrary<Part<string>> =>
  fc
    .oneof(
      { weight: 20, arbitrary: fc.constant(`Bearer ${key}`) },
      { weight: 1, arbitrary: fc.constantFrom("", key, `Basic ${key}`, `Bearer ${key}x`, "Bearer psk_1_wrong") }
    )
    .map((value) => ({
      value,
      expectation: value === `Bearer ${key}` || operation.security.length === 0 ? "valid" : "invalid"
    }))

const someMethods = ["delete", "patch", "put"] as const

const requestsOf = (template: string, item: PathItem, operation: Operation, own: string, { key, messageId }: Known) => {
  const [server] = item.servers ?? document.servers
  const base = server?.url === "/" ? "" : (server?.url ?? "")
  const otherMethods = someMethods.filter((name) => item[name] === undefined).map((name) => name.toUpperCase())
  const method = fc.oneof(
    { weight: 25, arbitrary: fc.constant(own) },
    { weight: 1, arbitrary: fc.constantFrom(...otherMethods) }
  )
  return fc
    .tuple(
      method,
      pathOf(template, operation, messageId),
      queryOf(operation),
      headersOf(operation),
      contentOf(operation),
      credentialsOf(operation, key)
    )
    .map(
      ([sent, path, query, headers, content, credentials]): FuzzRequest => ({
        operationId: operation.operationId,
        method: sent,
        path: base + path.value + query.value,
        headers: {
          ...headers.value,
          ...(credentials.value === "" ? {} : { Authorization: credentials.value }),
          ...(content.value === undefined ? {} : { "content-type": content.value.type })
        },
        body: content.value?.body,
        expectation: both([
          sent === own ? "valid" : "invalid",
          ...[path, query, headers, content, credentials].map(({ expectation }) => expectation)
        ])
      })
    )
}

/** What valid requests to a server need. */
export interface Known {
  readonly key: string
  readonly messageId: string
}

/** Valid and invalid requests to every operation of the document. */
export const requests = (known: Known): fc.Arbitrary<FuzzRequest> =>
  fc.oneof(
    ...Object.entries(document.paths).flatMap(([template, item]) =>
      methods.flatMap((method) => {
        const operation = item[method]
        return operation === undefined ? [] : [requestsOf(template, item, operation, method.toUpperCase(), known)]
      })
    )
  )
