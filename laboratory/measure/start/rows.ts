import { spawnSync } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import type { BenchContext, RowGroup } from "../Bench.ts"
import { onCore, serverCore } from "../machine/cores.ts"
import { rowOf, type Target } from "../report/Row.ts"
import { spreadOf } from "../report/statistics.ts"
import { type Turns, takeTurns } from "../turns.ts"
import { type Start, startOnce } from "./StartedServer.ts"

const workspace = fileURLToPath(new URL("../../../", import.meta.url))
const hello = fileURLToPath(new URL("hello.js", import.meta.url))
const importOnce = fileURLToPath(new URL("importOnce.js", import.meta.url))

/** Makes a measurement of each contender in turn, as often as there are rounds. */
const inTurns = async <A>(rounds: number, contenders: ReadonlyArray<() => Promise<A>>): Promise<Turns<A>> => {
  // The first start of a program fills the caches of the system.
  for (const contender of contenders) await contender()
  return takeTurns(rounds, contenders)
}

interface Peer {
  readonly name: string
  readonly target?: Target
}

/** A row for each peer, by the time that both took. */
const timeRows = (
  row: string,
  peers: ReadonlyArray<Peer>,
  { disturbed, results }: Turns<Pick<Start, "wall" | "processor">>
) => {
  const [ours = [], ...others] = results
  const processorOf = (all: ReadonlyArray<Pick<Start, "processor">>): number =>
    1_000 * spreadOf(all.map(({ processor = Number.NaN }) => processor)).median
  return others.map((other, index) =>
    rowOf({
      row,
      unit: "ms",
      peerName: peers[index]?.name ?? "",
      ours: ours.map(({ wall }) => wall),
      peer: other.map(({ wall }) => wall),
      target: peers[index]?.target,
      disturbed,
      processor: [processorOf(ours), processorOf(other)]
    })
  )
}

const serving = async (context: BenchContext) => {
  const file = join(context.folder, "start.db")
  await using _ = await createPetstore({ storage: sqlite(file) })
  const bin = (root: string): ReadonlyArray<string> => [
    join(root, "packages/http/bin/petstore.js"),
    "serve",
    "--port",
    "0",
    "--storage",
    `sqlite:${file}`
  ]
  return { ours: bin(workspace), before: context.before === undefined ? undefined : bin(context.before) }
}

/** From the start of `petstore serve` on a file to its first response, and its memory some seconds later. */
const measureServing = async (context: BenchContext) => {
  const { before, ours } = await serving(context)
  const peers: ReadonlyArray<Peer & { readonly args: ReadonlyArray<string> }> = [
    { name: "hello on Effect", args: [hello], target: { atMost: 1.2 } },
    { name: "the same, compile cache", args: [hello, "cached"] },
    ...(before === undefined ? [] : [{ name: "before", args: before }])
  ]
  const programs = [ours, ...peers.map(({ args }) => args)]
  const starts = await inTurns(
    context.isQuick ? 3 : 21,
    programs.map((args) => () => startOnce(args))
  )
  const idle = await inTurns(
    context.isQuick ? 1 : 7,
    programs.map((args) => () => startOnce(args, { idleSeconds: context.isQuick ? 1 : 4 }))
  )
  const [held = [], ...others] = idle.results.map((all) => all.map(({ idle: megabytes = Number.NaN }) => megabytes))
  return [
    ...timeRows("start to first response", peers, starts),
    ...others.map((peer, index) =>
      rowOf({
        row: "idle memory",
        unit: "MB",
        peerName: peers[index]?.name ?? "",
        ours: held,
        peer,
        target: peers[index]?.target,
        disturbed: idle.disturbed
      })
    )
  ]
}

interface Imported {
  readonly wall: number
  readonly processor: number
  readonly urls: ReadonlyArray<string>
}

const imported = (entry: string, ...more: ReadonlyArray<string>): Imported => {
  const { execArgv, execPath } = onCore(serverCore)
  const args = [...execArgv, importOnce, entry, ...more]
  const { status, stderr, stdout } = spawnSync(execPath, args, {
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" }
  })
  if (status !== 0) throw new Error(`${entry} cannot be imported: ${stderr}`)
  return JSON.parse(stdout)
}

/** `import "@petstore/core"`, against an import of the modules of Effect among those that it loads. */
const measureImport = async ({ before, folder, isQuick }: BenchContext) => {
  const entryOf = (root: string) => pathToFileURL(join(root, "packages/core/dist/index.js")).href
  const { urls } = imported(entryOf(workspace), "list")
  const ofEffect = urls.filter((url) => url.includes("/node_modules/effect/"))
  const modules = join(folder, "effect.mjs")
  writeFileSync(modules, ofEffect.map((url) => `import ${JSON.stringify(url)}\n`).join(""))
  const entries = [entryOf(workspace), pathToFileURL(modules).href, ...(before === undefined ? [] : [entryOf(before)])]
  const times = await inTurns(
    isQuick ? 3 : 21,
    entries.map((entry) => async () => imported(entry))
  )
  const peers: ReadonlyArray<Peer> = [
    { name: `its ${ofEffect.length} modules of Effect`, target: { atMost: 1.15 } },
    { name: "before" }
  ]
  return timeRows("import of @petstore/core", peers, times)
}

const starting: RowGroup = {
  name: "start",
  measure: async (context) => [...(await measureServing(context)), ...(await measureImport(context))]
}

export const startRows: ReadonlyArray<RowGroup> = [starting]
