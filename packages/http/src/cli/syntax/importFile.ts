import * as Argument from "effect/cli/Argument"
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import { formats } from "../import/ImportSettings.ts"
import { database, fileArgument, lazily, readPath, readWhole, text, toggle } from "./parts.ts"

const loadImportFile = () => import("../subcommands/importFile.ts")
const loadAdjustFile = () => import("../subcommands/adjustFile.ts")

export const importFile = Command.make(
  "import",
  {
    file: fileArgument("FILE", "A CSV, NDJSON or JSON file in UTF-8; - for standard input").pipe(Argument.optional),
    sample: toggle("sample", "Import 20 invented pets instead of a file, to try the petstore out"),
    adjust: toggle(
      "adjust",
      "Adjust stock instead, by petId, delta, reason and optionally note, reference, occurredAt"
    ),
    columns: text(
      "column",
      "FIELD=COLUMN",
      "Column of a field (name, category, status or quantity), if it has another name. Repeatable"
    ).pipe(Flag.atLeast(0)),
    delimiter: text("delimiter", "CHARACTER", "Separator of the cells of CSV, such as ; or tab (default: ,)").pipe(
      Flag.optional
    ),
    statuses: text(
      "map-status",
      "TEXT=STATUS",
      "Status that a text stands for, as in Adopted=sold; =available is for rows without one. Repeatable"
    ).pipe(Flag.atLeast(0)),
    defaultName: text("default-name", "NAME", "Name of pets without one").pipe(Flag.optional),
    format: Flag.Literals("format", formats).pipe(
      Flag.withDescription("File format, if the file name does not show it"),
      Flag.optional
    ),
    rejected: text("rejected", "FILE", "File for the rejected rows (default: FILE.rejected.csv or .ndjson)").pipe(
      Flag.mapEffect(readPath("--rejected")),
      Flag.optional
    ),
    fromLine: text(
      "from-line",
      "LINE",
      "Skip the rows before this line (of JSON: before this row), for example after rows were appended to an imported file"
    ).pipe(Flag.mapEffect(readWhole("--from-line", 1, Number.MAX_SAFE_INTEGER)), Flag.withDefault(1)),
    again: toggle("again", "Import every row again, even if the file was imported before"),
    dryRun: toggle("dry-run", "Check every row without importing it. Rejected rows are listed only with --rejected"),
    strict: toggle("strict", "Exit with 1 if a row was rejected"),
    database
  },
  Effect.fnUntraced(function* (input) {
    if (input.adjust) yield* lazily(loadAdjustFile, ({ run }) => run)(input)
    else yield* lazily(loadImportFile, ({ run }) => run)(input)
  })
).pipe(
  Command.withDescription(
    "Import pets. Each row is a pet with a name, a category and optionally a status and a quantity. Missing categories are created. Rejected rows are listed in FILE.rejected.csv, or .ndjson for JSON, with their line and the reason. To resume a stopped import, run the same command again. A file that was imported before is rejected unless you pass --again. With --adjust, each row changes the stock of a pet, and all 1 to 1,000 rows take effect, or none."
  ),
  Command.withShortDescription("Import pets from a file"),
  Command.withExamples([
    { command: "petstore import pets.csv --column name=animal_name --column category=species" },
    { command: "petstore import export.csv --delimiter ';' --column status=outcome --map-status Adopted=sold" },
    { command: "petstore import pets.ndjson --dry-run" },
    { command: "petstore import --adjust delivery.csv" },
    { command: "petstore import --sample" }
  ])
)
