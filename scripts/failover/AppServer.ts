import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { FromAppServer, SubscriberReport } from "./messages.ts"

const program = fileURLToPath(new URL("serve-and-subscribe.ts", import.meta.url))

/** An application server in a process of its own. */
export class AppServer implements AsyncDisposable {
  readonly name: string
  readonly url: string
  private readonly child: ChildProcess

  private constructor(name: string, url: string, child: ChildProcess) {
    this.name = name
    this.url = url
    this.child = child
  }

  static async start(name: string, database: string): Promise<AppServer> {
    const child = fork(program, [database], {
      execArgv: ["--conditions=@petstore/source", "--disable-warning=ExperimentalWarning"],
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    const ended = once(child, "exit").then(([code, signal]): never => {
      throw new Error(`Application server ${name} ended at its start with ${signal ?? code}`)
    })
    const [message]: Array<FromAppServer> = await Promise.race([once(child, "message"), ended])
    if (message?.kind !== "listening") throw new Error(`Application server ${name} does not listen`)
    ended.catch(() => {})
    return new AppServer(name, message.url, child)
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
