// Loaded by `--import`: Node.js loads one source with the fault of the environment.
import { registerHooks } from "node:module"
import { replaced } from "./places.ts"

const { file, place } = JSON.parse(process.env.MUTANT ?? "{}")

registerHooks({
  load: (url, context, next) => {
    const loaded = next(url, context)
    return url.endsWith(file) && loaded.source != null
      ? { ...loaded, source: replaced(Buffer.from(loaded.source as Uint8Array).toString("utf8"), place) }
      : loaded
  }
})
