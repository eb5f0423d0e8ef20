import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import type { Exported } from "../export/exportedRows.ts"
import { database, fileArgument, lazilyUntilStopped } from "./parts.ts"

const loadExportFile = () => import("../subcommands/exportFile.ts")

const exportOf = (what: Exported, contents: string) =>
  Command.make(
    what,
    {
      file: fileArgument("FILE", "New file in .csv or .ndjson; - for standard output"),
      format: Flag.Literals("format", ["csv", "ndjson"]).pipe(
        Flag.withDescription("File format, if the file name does not show it"),
        Flag.optional
      ),
      database
    },
    lazilyUntilStopped(
      loadExportFile,
      ({ run }) =>
        (input) =>
          run({ ...input, what })
    )
  ).pipe(
    Command.withDescription(`Export ${what} as of one moment, even while other processes write. ${contents}`),
    Command.withShortDescription(`Export ${what}`)
  )

export const exportFile = Command.make("export").pipe(
  Command.withDescription("Export pets, orders or events to a CSV or NDJSON file"),
  Command.withSubcommands([
    exportOf("pets", "Each has the columns that petstore import reads, and more."),
    exportOf("orders", "Cancelled and expired orders are included, with their state."),
    exportOf("events", "Each has its data, in CSV as JSON.")
  ])
)
