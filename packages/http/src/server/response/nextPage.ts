/** A query that is written as `URLSearchParams` would write it. */
const plainQuery = /^[\w.-]+=[\w.-]+(?:&[\w.-]+=[\w.-]+)*$/
const sentCursor = /(?<=^|&)cursor=[^&]*/

/** The `Link` to the next page: the same filters, another cursor. */
export const nextPage = (path: string, query: string, cursor: string): string => {
  if (plainQuery.test(query)) {
    const next = `cursor=${cursor}`
    const replaced = query.replace(sentCursor, next)
    return `<${path}?${sentCursor.test(query) ? replaced : `${query}&${next}`}>; rel="next"`
  }
  const parameters = new URLSearchParams(query)
  parameters.set("cursor", cursor)
  return `<${path}?${parameters}>; rel="next"`
}
