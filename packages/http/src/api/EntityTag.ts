import { parseWhole } from "@petstore/core/domain"

/**
 * The kinds of entity tags: of the version of a resource, of its record or its reservation, or of a pet, its stock, or both. A tag of one
 * kind never matches another kind, except that a tag of a pet with its stock matches either.
 */
export type EntityTagKind = "version" | "record" | "reservation" | "pet" | "stock" | "pet+stock"

/** The versions of a resource with an entity tag. */
export interface Tagged {
  readonly version: number
  readonly inventory?: { readonly version: number }
}

/** The functions that format the entity tags of resources, with their quotes. */
export const entityTags: { readonly [kind in EntityTagKind]: (resource: Tagged) => string } = {
  version: ({ version }) => `"v${version}"`,
  record: ({ version }) => `"r${version}"`,
  reservation: ({ version }) => `"e${version}"`,
  pet: ({ version }) => `"p${version}"`,
  stock: ({ version }) => `"s${version}"`,
  "pet+stock": ({ inventory, version }) => `"p${version}-s${inventory?.version}"`
}

const versionPatterns: { readonly [kind in EntityTagKind]: RegExp } = {
  version: /^"v([1-9][0-9]{0,15})"$/,
  record: /^"r([1-9][0-9]{0,15})"$/,
  // Of an order that does not expire, too.
  reservation: /^"e(0|[1-9][0-9]{0,15})"$/,
  pet: /^"p([1-9][0-9]{0,15})(?:-s[1-9][0-9]{0,15})?"$/,
  stock: /^"(?:p[1-9][0-9]{0,15}-)?s([1-9][0-9]{0,15})"$/,
  "pet+stock": /^"p([1-9][0-9]{0,15})-s[1-9][0-9]{0,15}"$/
}

/** Parses the version from a tag of this kind (of the pet, if there are two); undefined for any other tag. */
export const versionOf = (kind: EntityTagKind, tag: string): number | undefined => {
  return parseWhole(versionPatterns[kind].exec(tag)?.[1] ?? "")
}
