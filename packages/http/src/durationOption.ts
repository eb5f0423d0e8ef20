import * as Duration from "effect/Duration"
import * as Option from "effect/Option"

/** The duration that an option gives; a TypeError for what is none. */
export const durationOption = (name: string, input: Duration.Input): Duration.Duration => {
  const duration = Option.getOrUndefined(Duration.fromInput(input))
  if (duration === undefined || Duration.isNegative(duration) || Number.isNaN(input)) {
    throw new TypeError(`The option ${name} takes a duration, such as "30 seconds"`)
  }
  return duration
}
