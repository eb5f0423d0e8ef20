import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import { plain, style } from "./style.ts"

/** Prints an error message on standard error, with the name of the program. */
export const printError = (message: string): Effect.Effect<void> =>
  Effect.flatMap(style, (styled) => {
    const apply = process.stderr.isTTY ? styled : plain
    return Console.error(`${apply(["red", "bold"], "petstore:")} ${message}`)
  })
