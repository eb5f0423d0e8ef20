import * as Effect from "effect/Effect"
import { runCli } from "./runCli.ts"
import { StopSignal } from "./stopSignal.ts"

// The reader of the output may close it, as head does. The server keeps running without its log.
process.stderr.on("error", () => {})
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code === "EPIPE") process.exit(141)
  process.stderr.write(`petstore: Cannot write to standard output: ${error.message}.\n`)
  process.exit(1)
})

process.exitCode = await Effect.runPromise(Effect.provide(runCli(process.argv.slice(2)), StopSignal.layer))
