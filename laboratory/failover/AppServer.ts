import { type ChildProcess, fork, spawn } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import { listeningAt } from "../load/listeningAt.ts"
import type { CalledServer } from "../load/ServerLoad.ts"
import { adminKey, type FromAppServer, type SubscriberReport } from "./messages.ts"

const program = fileURLToPath(new URL("serve-and-subscribe.ts", import.meta.url))
const cli = fileURLToPath(new URL("../../packages/http/src/cli/main.ts", import.meta.url))
const nodeOptions = ["--conditions=@petstore/source", "--disable-warning=ExperimentalWarning"]

/** An application server in a process of its own. */
export class AppServer implements CalledServer, AsyncDisposable {
  readonly name: string
  readonly key = adminKey
  readonly url: string
  /** Whether it has a subscriber that can be asked. */
  readonly subscribes: boolean
  private readonly child: ChildProcess

  private constructor(name: string, url: string, child: ChildProcess, subscribes: boolean) {
    this.subscribes = subscribes
    this.name = name
    this.url = url
    this.child = child
  }

  static async start(name: string, database: string): Promise<AppServer> {
    const child = fork(program, [database], {
      execArgv: nodeOptions,
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    const ended = once(child, "exit").then(([code, signal]): never => {
      throw new Error(`Application server ${name} ended at its start with ${signal ?? code}`)
    })
    const [message]: Array<FromAppServer> = await Promise.race([once(child, "message"), ended])
    if (message?.kind !== "listening") throw new Error(`Application server ${name} does not listen`)
    ended.catch(() => {})
    return new AppServer(name, message.url, child, true)
  }

  /** Starts `petstore serve`, which has no subscriber. */
  static async startCli(name: string, database: string): Promise<AppServer> {
    const args = [...nodeOptions, cli, "serve", "--storage", database, "--port", "0", "--rate-limit", "off"]
    const child = spawn(process.execPath, args, {
      stdio: ["ignore", "ignore", "pipe"],
      env: { ...process.env, PETSTORE_ADMIN_KEY: adminKey }
    })
    process.once("exit", () => child.kill("SIGKILL"))
    const { origin } = await listeningAt(child, "petstore serve")
    return new AppServer(name, origin, child, false)
  }

  get api(): string {
    return `${this.url}/v1`
  }

  /** Whether the process still runs. */
  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null
  }

  /** What its subscriber has seen by now. */
  async report(): Promise<SubscriberReport> {
    const next = once(this.child, "message")
    this.child.send("report")
    const [message]: Array<FromAppServer> = await next
    if (message?.kind !== "report") throw new Error(`${this.name} sent no report`)
    return message.report
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.isRunning) return
    const ended = once(this.child, "exit")
    this.child.kill("SIGKILL")
    await ended
  }
}
