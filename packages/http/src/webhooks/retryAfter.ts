/** The longest that a receiver can ask to wait, in seconds: a day. */
const longest = 86_400

/** The three forms of dates in HTTP (RFC 9110, section 5.6.7). */
const dates = [
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/
]

const secondsIn = (text: string, now: number): number => {
  if (/^\d+$/.test(text)) return Number(text)
  if (!dates.some((form) => form.test(text))) return Number.NaN
  return Math.ceil((Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) - now) / 1000)
}

/**
 * The seconds from `now`, in milliseconds since 1970, that the header `Retry-After` asks to wait: 0 to a day. Undefined if there
 * is no such header or it is not valid.
 */
export const retryAfterOf = (header: string | undefined, now: number): number | undefined => {
  const seconds = header === undefined || header.length > 100 ? Number.NaN : secondsIn(header.trim(), now)
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), longest)
}
