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

/** Formats the entity tag of a resource, with its quotes. */
export const formatEntityTag = (kind: EntityTagKind, resource: Tagged): string => {
  switch (kind) {
    case "version":
      return `"v${resource.version}"`
    case "record":
      return `"r${resource.version}"`
    case "reservation":
      return `"e${resource.version}"`
    case "pet":
      return `"p${resource.version}"`
    case "stock":
      return `"s${resource.version}"`
    case "pet+stock":
      return `"p${resource.version}-s${resource.inventory?.version}"`
  }
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
