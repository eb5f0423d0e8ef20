import { allows, type Scope } from "@petstore/core/domain"
import type { Operation } from "./operations.ts"

type Needs = Pick<Operation, "scopes" | "bodyScope">

/** Schemas of updates accept `id` and ignore it. */
const isIgnored = (field: string): boolean => field === "id"

/** The scopes that a request with this decoded body requires, all of them. */
export const requiredScopes = ({ bodyScope, scopes }: Needs, body: unknown): ReadonlyArray<Scope> => {
  if (bodyScope === undefined || typeof body !== "object" || body === null) return scopes
  const { field, scope, sufficesAlone } = bodyScope
  if (!Object.hasOwn(body, field) || Reflect.get(body, field) !== true) return scopes
  const fields = Object.keys(body).filter((name) => !isIgnored(name))
  return sufficesAlone === true && fields.length === 1 ? [scope] : [...scopes, scope]
}

/** The scope that is missing with any body; undefined if the request can be allowed with some body. */
export const alwaysMissing = ({ bodyScope, scopes }: Needs, held: ReadonlyArray<Scope>): Scope | undefined =>
  bodyScope?.sufficesAlone === true && allows(held, bodyScope.scope)
    ? undefined
    : scopes.find((scope) => !allows(held, scope))
