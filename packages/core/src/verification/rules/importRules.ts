/** Imports of files. */

import { importProblem } from "../importProblem.ts"
import type { Rule } from "../Rule.ts"

export const importRules: ReadonlyArray<Rule> = [
  {
    name: "import_batches",
    demands:
      "The batches of an imported file are numbered 1, 2, 3 and so on, and those of a run count its rows from zero to its end.",
    check: {
      importBatch: ({ batch, before }) => {
        const problem = importProblem(before, batch)
        return problem === undefined || { file: batch.file, seq: batch.seq, problem }
      }
    }
  }
]
