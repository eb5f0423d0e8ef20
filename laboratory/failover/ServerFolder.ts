import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import {
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  realpathSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { type ServerUser, serverUser } from "../../packages/adapters/test/support/postgres/ServerUser.ts"
import { killIn } from "./processesIn.ts"

const reaper = fileURLToPath(new URL("reaper.ts", import.meta.url))

/**
 * A temporary folder of servers: each runs in a folder of its own inside it, as a user that is not root, in a session of
 * its own. All of them are killed and the folder is removed when it is closed, and when this process ends, however it does.
 */
export class ServerFolder implements AsyncDisposable {
  readonly path: string
  private readonly user: ServerUser
  private readonly reaper: ChildProcess

  constructor() {
    if (process.platform !== "linux") throw new Error("Servers in a folder are found in /proc, which only Linux has")
    this.user = serverUser()
    this.path = realpathSync(mkdtempSync(join(tmpdir(), "petstore-servers-")))
    this.own(this.path)
    this.reaper = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", reaper, this.path], {
      detached: true,
      stdio: ["pipe", "ignore", "inherit"]
    })
  }

  /** Makes a folder for one server. Returns its path. */
  makeFolder(name: string): string {
    const folder = join(this.path, name)
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    this.own(folder)
    return folder
  }

  /** Writes a file that servers can read. Returns its path. */
  write(name: string, text: string): string {
    const file = join(this.path, name)
    writeFileSync(file, text)
    this.own(file)
    return file
  }

  /** Starts a server in its folder, which must exist. Its output goes to the file `NAME.log`. */
  start(name: string, command: string, args: ReadonlyArray<string>): ChildProcess {
    const log = openSync(join(this.path, `${name}.log`), "a")
    return spawn(command, args, {
      cwd: join(this.path, name),
      detached: true,
      stdio: ["ignore", log, log],
      env: { PATH: process.env.PATH, LC_ALL: "C.UTF-8" },
      ...this.user
    }).on("error", (error) => writeFileSync(log, `${error}\n`))
  }

  /** Copies the logs of all servers to a folder that stays. Returns its path. */
  keepLogs(): string {
    const folder = mkdtempSync(join(tmpdir(), "petstore-failover-logs-"))
    for (const name of readdirSync(this.path).filter((one) => one.endsWith(".log"))) {
      copyFileSync(join(this.path, name), join(folder, name))
    }
    return folder
  }

  /** Kills a server with all its children at once. */
  kill(name: string): Promise<void> {
    return killIn(join(this.path, name))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = once(this.reaper, "exit")
    this.reaper.stdin?.end()
    await ended
  }

  private own(path: string): void {
    const { gid, uid } = this.user
    if (uid !== undefined && gid !== undefined) chownSync(path, uid, gid)
  }
}
