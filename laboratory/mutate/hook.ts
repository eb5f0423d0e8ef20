// Loaded by `--import`: Node.js loads the sources of the core with a switch for each fault, and tests that register with collect.ts.
import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import { runInThisContext } from "node:vm"
import { root } from "../../packages/test/support/workspace.ts"
import { allFaults, switches, withSwitches } from "./places.ts"

const faults = allFaults()
runInThisContext(switches(faults.length))
const byFile = Map.groupBy(faults, ({ file }) => pathToFileURL(`${root}/${file}`).href)
const collector = new URL("collect.ts", import.meta.url).href

registerHooks({
  resolve: (specifier, context, next) =>
    specifier === "vitest" && context.parentURL !== collector
      ? { url: collector, shortCircuit: true }
      : next(specifier, context),
  load: (url, context, next) => {
    const loaded = next(url, context)
    const places = byFile.get(url)
    return places === undefined || loaded.source == null
      ? loaded
      : {
          ...loaded,
          source: withSwitches(Buffer.from(loaded.source as Uint8Array).toString("utf8"), places, places[0]!.number)
        }
  }
})
