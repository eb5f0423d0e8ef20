/** The entity tags in a conditional header: each with its quotes and, if weak, its `W/`; "any" for `*`. */
export type EntityTags = "any" | ReadonlyArray<string>

const element = /[ \t,]*((?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")[ \t]*(?:,|$)/y

/** Reads `If-Match` or `If-None-Match` (RFC 9110, section 13.1); undefined if it is malformed. */
export const parseEntityTags = (header: string): EntityTags | undefined => {
  const text = header.trim().replace(/[ \t,]+$/, "")
  if (text === "*") return "any"
  const tags: Array<string> = []
  element.lastIndex = 0
  while (element.lastIndex < text.length) {
    const tag = element.exec(text)?.[1]
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
