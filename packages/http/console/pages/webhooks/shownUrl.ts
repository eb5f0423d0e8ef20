/** A URL as people may see it: what follows the path may be a token. */
export const shownUrl = (url: string): string =>
  url
    .replace(/^https?:\/\//, "")
    .replace(/\/\/[^/@]*@/, "//")
    .replace(/[?#].*$/, "?…")
