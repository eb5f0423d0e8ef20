import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { coreSubjects } from "./guards/core.ts"
import { databaseFiles } from "./guards/databaseFiles.ts"
import { http } from "./guards/http.ts"
import type { Subject } from "./guards/Subject.ts"
import { simulation } from "./guards/simulation.ts"
import { type Batch, inOneLine, lineAt, type Mutant } from "./Trial.ts"

const subjects: ReadonlyArray<Subject> = [...coreSubjects, databaseFiles, http, simulation]

/** The guards of all subjects removed, one at a time. Throws if one does not occur once in its file. */
export const guardMutants = (repository: string): Promise<ReadonlyArray<Batch>> =>
  Promise.all(
    subjects.map(async ({ guards, name, suite }) => ({
      name,
      suite,
      mutants: await Promise.all(
        guards.map(async ([file, part, without]): Promise<Mutant> => {
          const text = await readFile(join(repository, file), "utf8")
          const start = text.indexOf(part)
          if (start === -1 || text.includes(part, start + 1)) throw new Error(`${file} does not have once: ${part}`)
          const becomes = without === "" ? "is removed" : `becomes ${inOneLine(without)}`
          return {
            file,
            line: lineAt(text, start),
            fault: `${inOneLine(part)} ${becomes}`,
            text: text.slice(0, start) + without + text.slice(start + part.length)
          }
        })
      )
    }))
  )
