import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"

/** A logger that keeps its messages, and a function that runs an effect with it. */
export const givenLogger = () => {
  const logged: Array<string> = []
  const layer = Logger.layer([Logger.make(({ message }) => logged.push(String(message)))])
  return { logged, logging: Effect.provide(layer) }
}
