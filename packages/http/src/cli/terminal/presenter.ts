import { closest } from "@petstore/core/domain"
import * as Console from "effect/Console"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import * as Effect from "effect/Effect"
import { sentence } from "../exitStatus.ts"
import { refusal } from "../Setting.ts"
import { plain, style } from "./text.ts"

/** Prints an error message on standard error, with the name of the program. */
export const printError = (message: string): Effect.Effect<void> =>
  Effect.flatMap(style, (styled) => {
    const apply = process.stderr.isTTY ? styled : plain
    return Console.error(`${apply(["red", "bold"], "petstore:")} ${message}`)
  })

/** The parser suggests any name that two changes of letters reach, such as `copy` for `top`. */
const didYouMean = (given: string, suggestions: ReadonlyArray<string>): string => {
  const meant = closest(given, suggestions)
  return meant === undefined ? "" : `; did you mean ${meant}?`
}

const messageOf = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `Unknown flag ${error.option}${didYouMean(error.option, error.suggestions)}`
    case "UnknownSubcommand":
      return `Unknown command ${JSON.stringify(error.subcommand)}${didYouMean(error.subcommand, error.suggestions)}`
    case "MissingOption":
      return `--${error.option} is missing`
    case "MissingArgument":
      return `${error.argument} is missing`
    case "InvalidValue": {
      const source = error.kind === "flag" ? `--${error.option}` : error.option
      return error.value === "" ? `${source} needs a value` : refusal(source, error.expected, error.value)
    }
    case "UnexpectedArgument":
      return `Unexpected argument ${error.arguments.map((argument) => JSON.stringify(argument)).join(", ")}`
    default:
      return error.message
  }
}

const commandsOf = ({ helpDoc }: CliOutput.Presenter.Help): string =>
  (helpDoc.subcommands ?? []).flatMap(({ commands }) => commands.map(({ name }) => name)).join(", ")

/** Prints help and version on standard output, and the errors of a call as one line on standard error. */
export const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return Console.log(event.version)
      case "Help":
        return event.reason === "Requested"
          ? CliOutput.defaultPresenter.present(event)
          : refuse(event, [`Missing command. Choose one of ${commandsOf(event)}`])
      case "InvalidInvocation":
        return refuse(event, event.errors.map(messageOf))
    }
  }
}

const refuse = (
  { commandPath }: CliOutput.Presenter.Help | CliOutput.Presenter.InvalidInvocation,
  messages: ReadonlyArray<string>
) => printError(`${messages.map(sentence).join(" ")} See ${commandPath.join(" ")} --help.`)
