import type * as Duration from "effect/Duration"
import * as Schema from "effect/Schema"
import { countOption, durationOption, type OptionSchema, type OptionSchemas, optionsCheck } from "../options.ts"

/** How long records of one kind are kept. Default: forever. */
export interface KeptFor {
  /** A duration, such as "30 days"; a number is milliseconds. */
  readonly for?: Duration.Input | undefined
}

/** How long, and how many, events are kept: those beyond any limit that is given are removed. */
export interface KeptEvents extends KeptFor {
  /** The number of the latest events that are kept, at least 1. */
  readonly count?: number | undefined
}

/** How long a store keeps what it no longer needs. Default: forever. */
export interface Retention {
  /** Events, from the time of their change. The latest event is always kept. */
  readonly events?: KeptEvents | undefined
  /**
   * Events that {@link events} would remove, and that a webhook has not received yet, from the time of their change. The longest time for
   * which an endpoint that does not respond holds removal back.
   */
  readonly undelivered?: KeptFor | undefined
  /** Messages that were delivered, from the time of their delivery. */
  readonly messages?: KeptFor | undefined
  /**
   * Deliveries to webhooks that are finished, from the time when they were. Each stays as long as its event does, so this needs
   * {@link events} too.
   */
  readonly deliveries?: KeptFor | undefined
}

const keptFor = { for: durationOption } satisfies OptionSchemas<KeptFor>

const kinds = {
  events: {
    ...keptFor,
    count: countOption("a whole number of events, 1 or more", 1)
  } satisfies OptionSchemas<KeptEvents>,
  undelivered: keptFor,
  messages: keptFor,
  deliveries: keptFor
} satisfies { readonly [Kind in keyof Required<Retention>]: Readonly<Record<string, OptionSchema>> }

const checkKinds = optionsCheck(
  "The option retention",
  '{ events: { for: "90 days" } }',
  Object.fromEntries(Object.keys(kinds).map((kind) => [kind, Schema.Unknown]))
)

const checks = Object.entries<Readonly<Record<string, OptionSchema>>>(kinds).map(
  ([kind, schemas]) => [kind, optionsCheck(`The option retention.${kind}`, '{ for: "90 days" }', schemas)] as const
)

/** Throws a TypeError for an option `retention` that is not one, which plain JavaScript may pass. */
export const checkRetention = (retention: Retention): void => {
  const given: Readonly<Record<string, unknown>> = { ...checkKinds(retention) }
  for (const [kind, check] of checks) if (given[kind] !== undefined) check(given[kind])
}
