import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { edited, inOneLine, lineAt, type Mutant } from "./Mutant.ts"
import { corePackages, type Suite, scope } from "./Trial.ts"

/** A part of a source that guards a promise, and what stands there without it. The part occurs once. */
type Guard = readonly [file: string, part: string, without: string]

/** Guards of one subject, and the tests that should notice when one is missing. */
interface Subject {
  readonly suite: Suite
  readonly guards: ReadonlyArray<Guard>
}

const allPackages = {
  ...corePackages,
  [`${scope}/adapters`]: "packages/adapters",
  [`${scope}/http`]: "packages/http"
}

const server = "packages/http/src/server"

const http: Subject = {
  suite: {
    tests: [
      `${server}/request/{bodies,headers}.int.test.ts`,
      `${server}/transport/arrival.int.test.ts`,
      `${server}/transport/{NodeHttpRequest,malformation}.test.ts`,
      `${server}/transport/connections.int.test.ts`,
      `${server}/createHandler.int.test.ts`
    ],
    packages: allPackages
  },
  guards: [
    [`${server}/transport/NodeHttpRequest.ts`, "complete && !aborted", "complete"],
    [
      `${server}/transport/NodeHttpRequest.ts`,
      "done(hasArrived(request) ? undefined : endedTooEarly())",
      "done(undefined)"
    ],
    [
      `${server}/transport/NodeHttpRequest.ts`,
      "if (request.destroyed) return Effect.fail(endedTooEarly())",
      "if (request.destroyed) return Effect.void"
    ],
    [`${server}/transport/NodeHttpRequest.ts`, "this.expectsContinue || status === 408", "status === 408"],
    [`${server}/request/body.ts`, "if (!context.request.hasBody()) return operation()", "return operation()"],
    [`${server}/request/body.ts`, "context.closesConnection = true", ""],
    [`${server}/transport/nodeServer.ts`, "if (message !== undefined) connection.takeNoMore()", ""],
    [`${server}/transport/malformation.ts`, 'if (host.includes(",")) return "A request has one Host header only."', ""]
  ]
}

const subjects: ReadonlyArray<Subject> = [http]

/** The guards of all subjects removed, one at a time. Throws if one does not occur once in its file. */
export const guardMutants = (
  repository: string
): Promise<ReadonlyArray<{ readonly suite: Suite; readonly mutants: ReadonlyArray<Mutant> }>> =>
  Promise.all(
    subjects.map(async ({ guards, suite }) => ({
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
            text: edited(text, [{ start, end: start + part.length, text: without }])
          }
        })
      )
    }))
  )
