import { assert, describe, it } from "@effect/vitest"
import { catalogue, inputOf, Scope } from "@petstore/core/domain"
import * as SchemaAST from "effect/SchemaAST"
import * as SchemaParser from "effect/SchemaParser"
import { errorCodes } from "../openapi/errors.ts"
import { operationDocs } from "../openapi/operationDocs.ts"
import type { PlainSchema } from "./operation.ts"
import { isList, operations } from "./operations.ts"

const names = (schema: PlainSchema | undefined) =>
  schema !== undefined && SchemaAST.isObjects(schema.ast)
    ? schema.ast.propertySignatures.map(({ name }) => String(name))
    : []

const inPath = (path: string) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)

const find = (id: string) => {
  const operation = operations.find((each) => each.id === id)
  if (operation === undefined) throw new Error(`There is no operation ${id}`)
  return operation
}

describe("the contract", () => {
  it("has unique ids, and unique pairs of method and path", () => {
    assert.strictEqual(new Set(operations.map(({ id }) => id)).size, operations.length)
    assert.strictEqual(new Set(operations.map(({ method, path }) => `${method} ${path}`)).size, operations.length)
  })

  it("has a tag, a summary and a scope for each operation", () => {
    for (const { id, scopes, tag } of operations) {
      assert.include(["Pets", "Store", "Messages", "Events", "Access", "Webhooks", "Service"], tag, id)
      assert.match(operationDocs[id].summary, /^[A-Z][^.]+$/, id)
      assert.strictEqual(scopes.length === 0, id === "getSession", id)
    }
  })

  it("needs each scope for an operation", () => {
    const needed = operations.flatMap(({ bodyScope, ownersScope, ownScope, scopes, typeScopes = [] }) => [
      ...scopes,
      ...typeScopes,
      ...(ownScope === undefined ? [] : [ownScope]),
      ...(ownersScope === undefined ? [] : [ownersScope]),
      ...(bodyScope === undefined ? [] : [bodyScope.scope])
    ])
    assert.sameMembers([...new Set(needed)], [...Scope.literals])
  })

  it("declares exactly the parameters of its paths", () => {
    for (const { id, params, path } of operations) assert.deepStrictEqual(names(params), inPath(path), id)
  })

  it("encodes the parameters of its paths as String does, as the client relies on", () => {
    const values: Readonly<Record<string, unknown>> = {
      messageId: "msg_0a",
      externalId: "A-1",
      consumerName: "invoices"
    }
    for (const { id, params } of operations) {
      if (params === undefined) continue
      const given = Object.fromEntries(names(params).map((name) => [name, values[name] ?? 2 ** 53 - 1]))
      const texts = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, String(value)]))
      assert.deepStrictEqual(SchemaParser.encodeUnknownSync(params)(given), texts, id)
    }
  })

  it("paginates every list", () => {
    for (const operation of operations) {
      const { id, method, query, success } = operation
      // A history has as many points as fit into its time.
      const isBounded = id === "getStatsHistory"
      const lists = method === "GET" && success !== undefined && SchemaAST.isArrays(success.ast) && !isBounded
      assert.strictEqual(lists, isList(operation), id)
      if (lists) assert.includeMembers([...names(query)], ["limit", "cursor"], id)
    }
  })

  it("has a location for each creation of one resource, and for nothing else", () => {
    for (const { id, location, status, success } of operations) {
      const createsOne = (status === 201 || status === 202) && !(success && SchemaAST.isArrays(success.ast))
      assert.strictEqual(location !== undefined, createsOne, id)
      if (location !== undefined) assert.includeMembers([...names(success)], inPath(location).map(String), id)
    }
  })

  it("honours an idempotency key if the method takes one, and rejects it for a creation whose result contains a secret", () => {
    for (const { id, idempotencyKey, location, secret, useCase } of operations) {
      const takesKey = inputOf(useCase).options?.idempotencyKey === true
      const withoutKey = location !== undefined && secret ? "rejected" : "ignored"
      assert.strictEqual(idempotencyKey, takesKey ? "honoured" : withoutKey, id)
    }
  })

  it("honours an idempotency key for each update and deletion, but not for one whose result may contain a token", () => {
    const withoutKey = operations.filter(
      ({ idempotencyKey, method }) => (method === "PATCH" || method === "DELETE") && idempotencyKey !== "honoured"
    )
    assert.deepStrictEqual(
      withoutKey.map(({ id }) => id),
      ["updateWebhook"]
    )
  })

  it("has deprecations that are consistent", () => {
    for (const { deprecation, id, path } of operations) {
      if (deprecation === undefined) continue
      const { announced, successor, sunset } = deprecation
      for (const day of [announced, sunset]) assert.match(day, /^\d{4}-\d{2}-\d{2}$/, id)
      assert.isAbove(Date.parse(sunset), Date.parse(announced), id)
      assert.isTrue(
        operations.some((other) => other.path === successor && other.deprecation === undefined),
        id
      )
      assert.includeMembers(inPath(path), inPath(successor), id)
    }
  })

  it("lists the errors of an operation", () => {
    for (const operation of operations) {
      for (const code of errorCodes(operation)) assert.property(catalogue, code, operation.id)
    }
    assert.includeMembers(
      [...errorCodes(find("updateOrder"))],
      ["order_already_complete", "precondition_failed", "commit_unknown", "malformed_json"]
    )
    assert.notIncludeMembers(
      [...errorCodes(find("listPets"))],
      ["precondition_failed", "commit_unknown", "malformed_json", "operation_sunset"]
    )
  })
})
