import * as Duration from "effect/Duration"
import * as Option from "effect/Option"
import { type FlagSetting, whole } from "../Setting.ts"

/** For how long something is kept. */
type KeptFor = Duration.Duration | "forever"

const keptFor = {
  default: "forever",
  metavar: "DURATION",
  expected: "a duration such as 90 days, or forever",
  parse: (text: string): Option.Option<KeptFor> => {
    if (text === "forever") return Option.some(text)
    // Only units: a number alone would be milliseconds.
    const duration = /^\d{1,9} (?:second|minute|hour|day|week)s?$/.test(text) ? (text as Duration.Input) : undefined
    return duration === undefined ? Option.none() : Duration.fromInput(duration)
  }
} as const

export const keepEvents: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-events",
  env: "PETSTORE_KEEP_EVENTS",
  description: "Time to keep events, such as 90 days"
}

export const keepUndelivered: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-undelivered",
  env: "PETSTORE_KEEP_UNDELIVERED",
  description: "Time to keep events, which would be removed, for webhooks that have not received them, such as 14 days"
}

export const keepMessages: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-messages",
  env: "PETSTORE_KEEP_MESSAGES",
  description: "Time to keep delivered messages, such as 30 days"
}

export const keepDeliveries: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "keep-deliveries",
  env: "PETSTORE_KEEP_DELIVERIES",
  description: "Time to keep finished webhook deliveries after their events are removed, such as 30 days"
}

/** When orders expire that are placed without a time. */
export const reserveFor: FlagSetting<KeptFor> = {
  ...keptFor,
  flag: "reserve-for",
  env: "PETSTORE_RESERVE_FOR",
  description: "Time that an order holds its units before it expires, such as 15 minutes"
}

/** How many events are kept. */
export const keepEventCount: FlagSetting<number | "all"> = {
  flag: "keep-event-count",
  env: "PETSTORE_KEEP_EVENT_COUNT",
  default: "all",
  metavar: "NUMBER|all",
  description: "Number of latest events to keep",
  expected: "a whole number from 1 to 1000000000, or all",
  parse: (text) => (text === "all" ? Option.some(text) : whole(text, 1, 1_000_000_000))
}
