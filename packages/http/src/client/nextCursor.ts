/** One link with its parameters (RFC 8288, section 3): commas may stand in the address and in quotes. */
const link = /<([^>]*)>((?:[^,"<]|"(?:[^"\\]|\\.)*")*)/g
const parameter = /;\s*([\w!#$%&'*+.^`|~-]+)\s*(?:=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;,"]*)))?/g

const isNext = (parameters: string): boolean => {
  for (const [, name = "", quoted, bare = ""] of parameters.matchAll(parameter)) {
    if (name.toLowerCase() === "rel") return (quoted ?? bare).toLowerCase().split(/\s+/).includes("next")
  }
  return false
}

/** The cursor of the next page in a `Link` header; undefined if there is no next page, "lost" if its link has no cursor. */
export const nextCursor = (header: string | null): { readonly cursor: string } | "lost" | undefined => {
  for (const [, address = "", parameters = ""] of (header ?? "").matchAll(link)) {
    if (!isNext(parameters)) continue
    const cursor = new URLSearchParams(address.replace(/^[^?]*/, "").replace(/#.*/, "")).get("cursor")
    return cursor === null ? "lost" : { cursor }
  }
  return undefined
}
