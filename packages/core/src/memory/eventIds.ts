import { eventIds, partsOfLatest } from "../domain/events/EventId.ts"

/** The parts of an id that a journal has made. */
interface MadeId {
  /** The time of the event, the same text for events one after the other. */
  readonly timestamp: string
  /** Milliseconds from the time of the event to that of its id. */
  readonly later: number
  readonly counter: number
  readonly journal: string
}

const madeId = /^evt_[0-9a-z]{22}$/

/** Where the time, the counter and the journal of such an id begin, and its length. */
const timeAt = 4
const counterAt = 13
const journalAt = 18
const idLength = 26

const digitOf = (code: number): number => {
  if (code >= 48 && code <= 57) return code - 48
  return code >= 97 && code <= 122 ? code - 87 : Number.NaN
}

/** NaN if a character is no digit. */
const counterOf = (id: string): number => {
  let counter = 0
  for (let at = counterAt; at < journalAt; at++) counter = counter * 36 + digitOf(id.charCodeAt(at))
  return counter
}

/** Reads and makes ids of events. Most have the time and the journal of the one before, so those are read once. */
export const idReader = () => {
  let event = { timestamp: "", millis: Number.NaN }
  const makers = new Map<string, ReturnType<typeof eventIds>>()
  let known: { readonly head: string; readonly millis: number; readonly journal: string } | undefined

  const timeOf = (timestamp: string): typeof event => {
    if (timestamp !== event.timestamp) event = { timestamp, millis: Date.parse(timestamp) }
    return event
  }

  return {
    /** The parts of an id, if they lead to it. */
    read: (id: string, time: string): MadeId | undefined => {
      if (id.length !== idLength) return undefined
      const made = partsOfLatest(id)
      if (made !== undefined) {
        const { millis, timestamp } = timeOf(time)
        const { counter, journal } = made
        const later = made.millis - millis
        return Number.isSafeInteger(later) ? { timestamp, later, counter, journal } : undefined
      }
      if (known === undefined || !id.startsWith(known.head) || !id.endsWith(known.journal)) {
        if (!madeId.test(id)) return undefined
        const head = id.slice(0, counterAt)
        known = { head, millis: Number.parseInt(head.slice(timeAt), 36), journal: id.slice(journalAt) }
      }
      const { millis, timestamp } = timeOf(time)
      const [later, counter] = [known.millis - millis, counterOf(id)]
      return Number.isNaN(later + counter) ? undefined : { timestamp, later, counter, journal: known.journal }
    },

    /** Makes the ids of a journal from their parts. */
    maker: (journal: string): ((timestamp: string, later: number, counter: number) => string) => {
      const make = makers.get(journal) ?? eventIds(journal)
      makers.set(journal, make)
      return (timestamp, later, counter) => make(timeOf(timestamp).millis + later, counter)
    }
  }
}
