/** The entity tags in a conditional header: each with its quotes and, if weak, its `W/`; "any" for `*`. */
export type EntityTags = "any" | ReadonlyArray<string>

const entityTag = /[ \t,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y

/** Reads `If-Match` or `If-None-Match` (RFC 9110, section 13.1); undefined if it is malformed. */
export const parseEntityTags = (header: string): EntityTags | undefined => {
  let end = header.length
  while (end > 0 && " \t,".includes(header.charAt(end - 1))) end--
  const text = header.slice(0, end).trim()
  if (text === "*") return "any"
  const tags: Array<string> = []
  entityTag.lastIndex = 0
  while (entityTag.lastIndex < text.length) {
    const tag = entityTag.exec(text)?.[1]
    if (tag === undefined) return undefined
    tags.push(tag)
  }
  return tags.length === 0 ? undefined : tags
}

/** Whether one of the tags matches a strong tag by weak comparison, as in `If-None-Match`. */
export const matchesWeakly = (tags: EntityTags, tag: string): boolean =>
  tags === "any" || tags.some((sent) => sent === tag || sent === `W/${tag}`)

/** Whether one of the tags matches a strong tag by strong comparison, as in `If-Match`. */
export const matchesStrongly = (tags: EntityTags, tag: string): boolean => tags === "any" || tags.includes(tag)

/** Commas and weights within one are part of it. */
const quotedString = /"(?:[^"\\]|\\.?)*"?/g
const element = /^[ \t]*([^\s;,]+)[ \t]*(?:;(.*))?$/
const weight = /(?:^|;)[ \t]*q[ \t]*=[ \t]*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*$/i
const anyWeight = /(?:^|;)[ \t]*q[ \t]*=/i

/**
 * Parses a header such as `Accept` or `Accept-Encoding`: weights from 0 to 1 (RFC 9110, section 12.4.2) by names in lower case.
 * Malformed elements are ignored.
 */
export const qualityValues = (header: string): ReadonlyMap<string, number> => {
  const qualities = new Map<string, number>()
  for (const part of header.replace(quotedString, '""').split(",")) {
    const [, name, parameters = ""] = element.exec(part) ?? []
    if (name === undefined) continue
    const sent = weight.exec(parameters)?.[1]
    if (sent === undefined && anyWeight.test(parameters)) continue
    qualities.set(name.toLowerCase(), sent === undefined ? 1 : Number(sent))
  }
  return qualities
}
