import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { temporaryFolder } from "./folder.ts"
import { type Ended, runPetstore } from "./runPetstore.ts"

/** A directory and a database for one test of the CLI. */
export interface Place {
  readonly folder: string
  readonly file: string
  /** Runs a subcommand on the database of this test. */
  readonly run: (...args: ReadonlyArray<string>) => Effect.Effect<Ended>
  /** Runs a subcommand that must succeed, and returns its standard output. */
  readonly output: (...args: ReadonlyArray<string>) => Effect.Effect<string>
  /** Writes a file, and returns its path. */
  readonly write: (name: string, content: string | Uint8Array) => string
}

/** Defines a test in a directory and on a database of its own. */
export const test = (name: string, body: (place: Place) => Effect.Effect<void>) =>
  it.effect(name, () =>
    Effect.scoped(
      Effect.flatMap(temporaryFolder, (folder) => {
        const file = join(folder, "pets.db")
        const run = (...args: ReadonlyArray<string>) => runPetstore(args, { PETSTORE_STORAGE: `sqlite:${file}` })
        return body({
          folder,
          file,
          run,
          output: (...args) =>
            Effect.map(run(...args), ({ code, stderr, stdout }) => {
              assert.strictEqual(code, 0, stderr.join("\n"))
              return stdout.join("\n")
            }),
          write: (name, content) => {
            writeFileSync(join(folder, name), content)
            return join(folder, name)
          }
        })
      })
    )
  )

/** The same by the clock of the system, by which petstores that the test itself opens write, too. */
export const liveTest: typeof test = (name, body) => test(name, (place) => TestClock.withLive(body(place)))

/** What a run printed and its exit code, with the lines of each stream as one text. */
export const printed = ({ code, stderr, stdout }: Ended) => ({
  code,
  stderr: stderr.join("\n"),
  stdout: stdout.join("\n")
})
