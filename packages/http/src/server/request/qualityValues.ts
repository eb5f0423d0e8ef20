const element = /^[ \t]*([^\s;,]+)[ \t]*(?:;(.*))?$/
const weight = /(?:^|;)[ \t]*q[ \t]*=[ \t]*(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)[ \t]*$/i
const anyWeight = /(?:^|;)[ \t]*q[ \t]*=/i

/**
 * Parses a header such as `Accept` or `Accept-Encoding`: weights from 0 to 1 (RFC 9110, section 12.4.2) by names in lower case.
 * Malformed elements are ignored.
 */
export const qualityValues = (header: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const part of header.split(",")) {
    const [, name, parameters = ""] = element.exec(part) ?? []
    if (name === undefined) continue
    const sent = weight.exec(parameters)?.[1]
    if (sent === undefined && anyWeight.test(parameters)) continue
    found.set(name.toLowerCase(), sent === undefined ? 1 : Number(sent))
  }
  return found
}
