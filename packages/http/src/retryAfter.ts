const weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
const longWeekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

const [weekday, month] = [`(?<weekday>${weekdays.join("|")})`, `(?<month>${months.join("|")})`]
const time = "(?<hour>[01][0-9]|2[0-3]):(?<minute>[0-5][0-9]):(?<second>[0-5][0-9]|60)"

/** The forms of dates in HTTP (RFC 9110, section 5.6.7): the one that is sent, and two obsolete ones. */
const dateForms = [
  new RegExp(`^${weekday}, (?<day>[0-9]{2}) ${month} (?<year>[0-9]{4}) ${time} GMT$`),
  new RegExp(`^(?<weekday>${longWeekdays.join("|")}), (?<day>[0-9]{2})-${month}-(?<year>[0-9]{2}) ${time} GMT$`),
  new RegExp(`^${weekday} ${month} (?<day>[ 0-9][0-9]) ${time} (?<year>[0-9]{4})$`)
]

/** A year of two digits that would be more than 50 years ahead is the latest one in the past with these digits. */
const fullYear = (digits: string, now: number): number => {
  if (digits.length === 4) return Number(digits)
  const thisYear = new Date(now).getUTCFullYear()
  const year = thisYear - (thisYear % 100) + Number(digits)
  return year > thisYear + 50 ? year - 100 : year
}

/** Milliseconds since 1970 of a date in HTTP; undefined for anything else, and for days that do not exist. */
const parseHttpDate = (text: string, now: number): number | undefined => {
  const parts = dateForms.map((form) => form.exec(text)?.groups).find((groups) => groups !== undefined)
  if (parts === undefined) return undefined
  const { day = "", hour, minute, second, month = "", weekday = "", year = "" } = parts
  const date = new Date(0)
  date.setUTCFullYear(fullYear(year, now), months.indexOf(month), Number(day))
  if (date.getUTCDate() !== Number(day) || !weekday.startsWith(weekdays[date.getUTCDay()] ?? "-")) return undefined
  return date.setUTCHours(Number(hour), Number(minute), Number(second))
}

/**
 * The milliseconds from `now`, in milliseconds since 1970, that a `Retry-After` header asks to wait (RFC 9110, section 10.2.3);
 * 0 for a date in the past. Undefined if there is no such header or it is not valid.
 */
export const retryAfterOf = (header: string | null | undefined, now: number): number | undefined => {
  // The longest date has 33 characters.
  if (header === null || header === undefined || header.length > 100) return undefined
  if (/^[0-9]+$/.test(header)) return Number(header) * 1_000
  const date = parseHttpDate(header, now)
  return date === undefined ? undefined : Math.max(0, date - now)
}
