/**
 * What an entity tag is made of: the version of the resource, or of the pet, its stock, or both. They are told apart, so
 * that a tag of one never matches another by accident; that of a pet with its stock serves for either.
 */
export type EntityTagKind = "version" | "pet" | "stock" | "pet+stock"

/** The versions in an answer with an entity tag. */
export interface Tagged {
  readonly version: number
  readonly inventory?: { readonly version: number }
}

/** The entity tag of an answer, quotes included. */
export const formatEntityTag = (kind: EntityTagKind, answer: Tagged): string => {
  switch (kind) {
    case "version":
      return `"v${answer.version}"`
    case "pet":
      return `"p${answer.version}"`
    case "stock":
      return `"s${answer.version}"`
    case "pet+stock":
      return `"p${answer.version}-s${answer.inventory?.version}"`
  }
}

const versionPatterns: { readonly [kind in EntityTagKind]: RegExp } = {
  version: /^"v([1-9][0-9]{0,15})"$/,
  pet: /^"p([1-9][0-9]{0,15})(?:-s[1-9][0-9]{0,15})?"$/,
  stock: /^"(?:p[1-9][0-9]{0,15}-)?s([1-9][0-9]{0,15})"$/,
  "pet+stock": /^"p([1-9][0-9]{0,15})-s[1-9][0-9]{0,15}"$/
}

/** The version that a tag of this kind names (of the pet, where it names two); undefined for any other tag. */
export const versionOf = (kind: EntityTagKind, tag: string): number | undefined => {
  const version = versionPatterns[kind].exec(tag)?.[1]
  return version === undefined ? undefined : Number(version)
}
