import * as Console from "effect/Console"
import type * as CliError from "effect/cli/CliError"
import * as CliOutput from "effect/cli/CliOutput"
import { sentence } from "../exitStatus.ts"
import { refusal } from "../Setting.ts"
import { printError } from "./printError.ts"

const maybe = (suggestions: ReadonlyArray<string>): string =>
  suggestions.length === 0 ? "" : `; did you mean ${suggestions.join(" or ")}?`

const complaint = (error: CliError.NonShowHelpErrors): string => {
  switch (error._tag) {
    case "UnrecognizedOption":
      return `There is no flag ${error.option}${maybe(error.suggestions)}`
    case "UnknownSubcommand":
      return `There is no command ${JSON.stringify(error.subcommand)}${maybe(error.suggestions)}`
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

/** Help and version on standard output; whatever is wrong with a call as one line on standard error. */
export const presenter: CliOutput.Presenter = {
  present: (event) => {
    switch (event._tag) {
      case "Version":
        return Console.log(event.version)
      case "Help":
        return event.reason === "Requested"
          ? CliOutput.defaultPresenter.present(event)
          : refuse(event, [`Name a command: ${commandsOf(event)}`])
      case "InvalidInvocation":
        return refuse(event, event.errors.map(complaint))
    }
  }
}

const refuse = (
  { commandPath }: CliOutput.Presenter.Help | CliOutput.Presenter.InvalidInvocation,
  complaints: ReadonlyArray<string>
) => printError(`${complaints.map(sentence).join(" ")} See ${commandPath.join(" ")} --help.`)
