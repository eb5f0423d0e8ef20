interface EventIdParts {
  /** The time at which it was made. */
  readonly millis: number
  /** Distinguishes the ids of one journal and one time. */
  readonly counter: number
  /** Distinguishes journals on one database. */
  readonly journal: string
}

/** A whole number in base 36, with zeros before it. */
export const digits = (value: number, length: number): string => value.toString(36).padStart(length, "0")

/** The number of values that the last two digits of a counter have. */
const endings = 36 * 36

/** The id that was made last, and its parts: most are kept at once. */
const latest = { id: "", millis: 0, counter: 0, journal: "" }

/** The parts of the id that was made last, if it is this one. To read an id takes several times as long as to make it. */
export const partsOfLatest = (id: string): EventIdParts | undefined => (id === latest.id ? latest : undefined)

/**
 * Makes ids of one journal: the prefix, nine digits of time, five of the counter, and the journal. Ids one after the other have most of
 * their text in common, which is made once.
 */
export const idsOf = (prefix: string, journal: string): ((millis: number, counter: number) => string) => {
  const ends = new Array<string | undefined>(endings)
  let [time, thousands] = [Number.NaN, Number.NaN]
  let begin = ""
  return (millis, counter) => {
    const last = counter % endings
    const others = (counter - last) / endings
    if (millis !== time || others !== thousands) {
      begin = `${prefix}_${digits(millis, 9)}${digits(others, 3)}`
      time = millis
      thousands = others
    }
    const end = ends[last] ?? `${digits(last, 2)}${journal}`
    ends[last] = end
    return begin + end
  }
}

export const eventIds = (journal: string): ((millis: number, counter: number) => string) => {
  const idOf = idsOf("evt", journal)
  return (millis, counter) => {
    const id = idOf(millis, counter)
    latest.id = id
    latest.millis = millis
    latest.counter = counter
    latest.journal = journal
    return id
  }
}
