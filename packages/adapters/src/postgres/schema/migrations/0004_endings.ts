import { endings } from "@petstore/core/tables"
import { definition } from "../../../sql/definition.ts"
import { tableNamed } from "../../../sql/tableText.ts"
import { dialect, inCodePoints } from "../definitionDialect.ts"

/** Orders that ended before have no row: nothing has recorded who ended them. */
export const endingsStep = inCodePoints(definition(tableNamed(endings.name), dialect))
