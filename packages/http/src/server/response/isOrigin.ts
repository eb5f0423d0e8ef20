const withoutPages: ReadonlySet<string> = new Set(["ftp:", "ws:", "wss:"])

/**
 * Returns why no page has a value as its origin, or why pages of any site have it; undefined if it is the origin of a site, as browsers
 * send it (RFC 6454, section 6.2).
 */
export const originFault = (value: string): string | undefined => {
  if (value === "null") return "it is the origin of files and of sandboxed frames in pages of any site"
  if (value.includes("*")) return 'there are no wildcards. List each origin, or pass "*" instead of a list for all'
  const url = URL.parse(value)
  if (url === null || url.host === "") return "it is not a scheme and a host, such as https://shop.example"
  if (withoutPages.has(url.protocol)) return `no page has an address with ${url.protocol}`
  // The origin of a URL with the scheme of an app, such as capacitor://localhost, is opaque, but not that of its pages.
  const origin = url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin
  if (origin === value) return undefined
  return `browsers send ${origin}${value === `${origin}/` ? ", without the slash at the end" : ""}`
}

/** Whether a value is the origin of a site, as browsers send it. */
export const isOrigin = (value: string): boolean => originFault(value) === undefined
