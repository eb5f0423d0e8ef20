import { type ChildProcess, fork } from "node:child_process"
import { mkdtempDisposableSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import type { Lab } from "../Lab.ts"
import { addKeys, addPets, pets, placeOrders } from "../load/furnish.ts"
import { listeningAt } from "../load/listeningAt.ts"
import { command } from "../measure/http/ServerProcess.ts"
import { clientCore, onCore, replyOf, serverCore } from "../measure/machine/processes.ts"
import { type AttackName, attacks } from "./attacks.ts"
import type { Attack, Attacked, Use, Used } from "./client.ts"

const clientProgram = fileURLToPath(new URL("client.ts", import.meta.url))
const events = 100_000
/** How many keys the others have. In each turn they use new ones, or they would reach their own rate limit in the end. */
const others = 4
const keysOfOthers = 15 * others
/** How long each turn takes. */
const seconds = 2
/** The part of their rate that others keep at least. */
const promised = 2 / 3
/** A turn is repeated so often if the processes waited for a processor for more than this part of it. */
const turnsAtMost = 6
const noisy = 0.05

interface Flags {
  readonly only: string | undefined
  readonly rate: string | undefined
  readonly connections: string | undefined
}

interface Shop {
  readonly keys: ReadonlyArray<string>
  readonly attacker: string
  /** The position of the last event. */
  readonly latest: number
}

/** A shop with many events of others. */
const makeShop = async (file: string): Promise<Shop> => {
  await using petstore = await createPetstore({ storage: sqlite(file) })
  await addPets(petstore, pets)
  const { accountId, keys } = await addKeys(petstore, "write", keysOfOthers)
  const scopes = ["pets:read", "pets:write", "orders:own"] as const
  const { key: attacker } = await petstore.apiKeys.create({ accountId, name: "attacker", scopes })
  // Each order has two events.
  await placeOrders(petstore, events / 2)
  return { attacker, keys, latest: await petstore.events.latest() }
}

/** `petstore serve` as it is shipped. */
const start = async (file: string): Promise<{ readonly server: ChildProcess; readonly port: string }> => {
  const server = fork(command, ["serve", "--port", "0", "--storage", `sqlite:${file}`], {
    ...onCore(serverCore),
    env: { ...process.env, NODE_OPTIONS: "" },
    stdio: ["ignore", "ignore", "pipe", "ipc"]
  })
  const { port } = await listeningAt(server, "The server")
  return { server, port }
}

/** The server, the others, and the key that attacks. */
class Market {
  private readonly processes: ReadonlyArray<ChildProcess>
  private readonly clients: ChildProcess
  private readonly attacker: ChildProcess

  constructor(server: ChildProcess, port: string, { attacker, keys }: Shop) {
    const clientsOf = (...of: ReadonlyArray<string>): ChildProcess =>
      fork(clientProgram, [port, ...of], onCore(clientCore, ...process.execArgv))
    this.clients = clientsOf(...keys)
    this.attacker = clientsOf(attacker)
    this.processes = [server, this.clients, this.attacker]
  }

  use(load: Use): Promise<Used> {
    return replyOf<Used>(this.clients, "The clients", load)
  }

  async beside(attack: Attack, load: Use): Promise<{ readonly used: Used; readonly attacked: Attacked }> {
    await replyOf(this.attacker, "The attacker", attack)
    const used = await this.use(load)
    return { used, attacked: await replyOf<Attacked>(this.attacker, "The attacker", "stop") }
  }

  /** The result of the turn from which other programs of the machine took least, and whether that was little. */
  async quietly<A>(turn: () => Promise<A>): Promise<{ readonly result: A; readonly isQuiet: boolean }> {
    let best: { readonly result: A; readonly waited: number } | undefined
    for (let count = 0; count < turnsAtMost && (best?.waited ?? 1) > noisy; count++) {
      const [began, before] = [performance.now(), this.waited()]
      const result = await turn()
      const waited = (this.waited() - before) / (performance.now() - began)
      if (best === undefined || waited < best.waited) best = { result, waited }
    }
    return { result: best!.result, isQuiet: best!.waited <= noisy }
  }

  close(): void {
    for (const one of this.processes) one.kill("SIGKILL")
  }

  /** The milliseconds that these processes have waited for a processor. */
  private waited(): number {
    const ofOne = ({ pid }: ChildProcess): number =>
      Number(readFileSync(`/proc/${pid}/schedstat`, "utf8").split(" ")[1]) / 1e6
    return this.processes.reduce((sum, one) => sum + ofOne(one), 0)
  }
}

const shown = ({ p50, p99, rate, refused }: Used): string =>
  `${rate.toFixed(0)}/s in ${p50.toFixed(1)} / ${p99.toFixed(1)} ms${refused === 0 ? "" : `, ${refused} refused`}`

/** Uses the shop alone and beside each attack, on one server. */
const compare = async (market: Market, latest: number, lab: Lab<Flags>): Promise<void> => {
  const { connections = "1,4,16", only, rate = "0,50,200,1000" } = lab.flags
  const names = only?.split(",") ?? Object.keys(attacks)
  for (const perSecond of rate.split(",").map(Number)) {
    const load: Use = {
      ...(perSecond === 0 ? { of: 1, connections: 1 } : { of: others, connections: 16, rate: perSecond }),
      ...{ kind: "use", pets, seconds }
    }
    for (const name of names as ReadonlyArray<AttackName>)
      for (const count of name === "streams" ? [90] : connections.split(",").map(Number)) {
        const { isQuiet, result: alone } = await market.quietly(() => market.use(load))
        const attack: Attack = { kind: "attack", name, latest, connections: count }
        const beside = await market.quietly(() => market.beside(attack, load))
        const { attacked, used } = beside.result
        const kept = used.rate / alone.rate
        const isKnown = isQuiet && beside.isQuiet
        const who = perSecond === 0 ? "one key in turn" : `${perSecond}/s`
        lab.log(
          `${who} beside ${name} on ${count}: ${kept.toFixed(2)} of ${shown(alone)}, then ${shown(used)} beside ${attacked.rate.toFixed(0)}/s ${JSON.stringify(attacked.statuses)}${isKnown ? "" : ", while other programs used the processors"}`
        )
        if (isKnown && kept < promised) lab.found(`One key leaves others ${kept.toFixed(2)} of their rate.`)
      }
  }
}

export const ask = async (lab: Lab<Flags>): Promise<void> => {
  using folder = mkdtempDisposableSync(join(tmpdir(), "petstore-shares-"))
  const file = join(folder.path, "shop.db")
  const shop = await makeShop(file)
  const { port, server } = await start(file)
  const market = new Market(server, port, shop)
  try {
    // Until V8 has compiled what they run.
    await market.use({ kind: "use", pets, seconds: 3, of: 1, connections: 1 })
    await compare(market, shop.latest, lab)
  } finally {
    market.close()
  }
}
