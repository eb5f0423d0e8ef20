import { execFileSync } from "node:child_process"
import { join } from "node:path"
import { freePort } from "../../packages/adapters/test/support/freePort.ts"
import { etcdArguments, haproxyConfig, type NodeSettings, patroniConfig } from "./clusterConfig.ts"
import { findPrograms, type Programs } from "./debianPrograms.ts"
import { signalIn } from "./processesIn.ts"
import { ServerFolder } from "./ServerFolder.ts"
import { until } from "./until.ts"

interface Member {
  readonly name: string
  readonly role: string
  readonly state: string
  readonly timeline?: number
}

const count = 3

/** Patroni 4 lets any of several standbys confirm a commit; before, it names one. */
const knowsQuorum = (patroni: string): boolean => {
  const [major = "0"] = /\d+/.exec(execFileSync(patroni, ["--version"], { encoding: "utf8" })) ?? []
  return Number(major) >= 4
}

const isMember = (value: unknown): value is Member =>
  typeof value === "object" && value !== null && "name" in value && "role" in value && "state" in value

/** Three etcd, three PostgreSQL under Patroni with a synchronous standby, and HAProxy in front, on loopback. */
export class PatroniCluster implements AsyncDisposable {
  readonly nodes: ReadonlyArray<NodeSettings>
  /** The port of HAProxy, which leads to the leader. */
  readonly port: number
  private readonly folder: ServerFolder
  private readonly programs: Programs

  private constructor(folder: ServerFolder, programs: Programs, nodes: ReadonlyArray<NodeSettings>, port: number) {
    this.folder = folder
    this.programs = programs
    this.nodes = nodes
    this.port = port
  }

  /** Starts everything, and waits until there is a leader with a synchronous standby that is reached through HAProxy. */
  static async start(): Promise<PatroniCluster> {
    const programs = findPrograms()
    const proxy = await freePort()
    const ports: Array<number> = []
    while (ports.length < 4 * count) ports.push(await freePort())
    const folder = new ServerFolder()
    const nodes = Array.from({ length: count }, (_, at): NodeSettings => {
      const [etcdClient = 0, etcdPeer = 0, patroni = 0, postgres = 0] = ports.slice(4 * at)
      const name = `p${at + 1}`
      return { name, data: join(folder.path, name, "data"), etcdClient, etcdPeer, patroni, postgres }
    })
    const cluster = new PatroniCluster(folder, programs, nodes, proxy)
    try {
      await cluster.startAll()
      return cluster
    } catch (error) {
      await cluster[Symbol.asyncDispose]()
      throw error
    }
  }

  /** What Patroni says of every node. */
  async members(): Promise<ReadonlyArray<Member>> {
    return Promise.any(
      this.nodes.map(async ({ patroni }) => {
        const response = await fetch(`http://127.0.0.1:${patroni}/cluster`, { signal: AbortSignal.timeout(2000) })
        const body: unknown = await response.json()
        const members = typeof body === "object" && body !== null && "members" in body ? body.members : undefined
        if (!Array.isArray(members) || !members.every(isMember)) throw new Error("Patroni lists its members")
        return members
      })
    )
  }

  /** The nodes that take themselves for the leader now. One that hung does so until it notices. */
  private async leaders(): Promise<ReadonlyArray<string>> {
    const asked = this.nodes.map(async ({ name, patroni }) => {
      const response = await fetch(`http://127.0.0.1:${patroni}/primary`, { signal: AbortSignal.timeout(2000) })
      return response.status === 200 ? [name] : []
    })
    const said = await Promise.allSettled(asked)
    return said.flatMap((result) => (result.status === "fulfilled" ? result.value : []))
  }

  /** The leader that answers now, other than `not`. */
  async leader(not?: string): Promise<string | undefined> {
    return (await this.leaders()).find((name) => name !== not)
  }

  /**
   * Waits until all nodes run, one of them leads and another may take over: whoever kills a leader before that stops the
   * cluster, because Patroni promotes no standby that may lack a commit.
   */
  async whole(seconds: number): Promise<string> {
    return until("a leader with a synchronous standby", seconds, async () => {
      const members = await this.members()
      const isStandby = ({ role }: Member) => role === "sync_standby" || role === "quorum_standby"
      const running = members.filter(({ state }) => state === "running" || state === "streaming")
      const [leader, other] = await this.leaders()
      const isWhole = running.length === count && members.some(isStandby) && other === undefined
      return isWhole && members.some(({ name, role }) => name === leader && role === "leader") ? leader : undefined
    })
  }

  /** Kills a machine: Patroni, PostgreSQL and all its backends at once. */
  kill(name: string): Promise<void> {
    return this.folder.kill(name)
  }

  /** Makes a machine hang: nothing moves, and no connection is closed. */
  freeze(name: string): void {
    signalIn(join(this.folder.path, name), "SIGSTOP")
  }

  /** Starts a machine that was killed. It returns as a standby. */
  startNode(name: string): void {
    this.folder.start(name, this.programs.patroni, [join(this.folder.path, `${name}.yml`)])
  }

  /** Copies what the servers have written to a folder, for the report of a failure. Returns its path. */
  keepLogs(): string {
    return this.folder.keepLogs()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.folder[Symbol.asyncDispose]()
  }

  private async startAll(): Promise<void> {
    const isQuorum = knowsQuorum(this.programs.patroni)
    this.nodes.forEach((_, at) => {
      const name = `e${at + 1}`
      const data = join(this.folder.makeFolder(name), "data")
      this.folder.start(name, this.programs.etcd, etcdArguments(at, this.nodes, data))
    })
    for (const node of this.nodes) {
      this.folder.makeFolder(node.name)
      // JSON is YAML.
      const config = patroniConfig(node, this.nodes, this.programs.postgres, isQuorum)
      this.folder.write(`${node.name}.yml`, JSON.stringify(config, null, 2))
      this.startNode(node.name)
    }
    this.folder.makeFolder("proxy")
    const config = this.folder.write("haproxy.cfg", haproxyConfig(this.port, this.nodes))
    this.folder.start("proxy", this.programs.haproxy, ["-db", "-f", config])
    await this.whole(90)
  }
}
