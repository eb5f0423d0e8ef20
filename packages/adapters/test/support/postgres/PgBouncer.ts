import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { chownSync } from "node:fs"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { freePort } from "../freePort.ts"
import { forgetServer, stopWithThisProcess } from "./orphans.ts"
import { serverUser } from "./ServerUser.ts"

/** The version of the installed PgBouncer; undefined if there is none. */
export const pgBouncerVersion = ((): string | undefined => {
  try {
    return /[\d.]+/.exec(
      execFileSync("pgbouncer", ["--version"], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] })
    )?.[0]
  } catch {
    return undefined
  }
})()

const configurationOf = (folder: string, port: number, server: URL): string => `[databases]
* = host=${server.hostname} port=${server.port} user=${server.username} password=${decodeURIComponent(server.password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 4
max_client_conn = 500
server_round_robin = 1
logfile = ${folder}/log
pidfile = ${folder}/data/postmaster.pid
`

const isListening = async (port: number): Promise<boolean> => {
  const socket = connect(port, "127.0.0.1")
  const isOpen = await once(socket, "connect").then(
    () => true,
    () => false
  )
  socket.destroy()
  return isOpen
}

const start = async (
  server: URL
): Promise<{ readonly child: ChildProcess; readonly folder: string; readonly port: number }> => {
  const folder = await mkdtemp(join(tmpdir(), "petstore-pgbouncer-"))
  const port = await freePort()
  const user = serverUser()
  // Its pid file is where that of a server is, so that whatever stops servers stops it.
  await mkdir(join(folder, "data"))
  const file = join(folder, "pgbouncer.ini")
  await writeFile(file, configurationOf(folder, port, server))
  for (const path of [folder, join(folder, "data"), file]) {
    if (user.uid !== undefined && user.gid !== undefined) chownSync(path, user.uid, user.gid)
  }
  stopWithThisProcess(folder)
  const child = spawn("pgbouncer", ["--quiet", file], { ...user, cwd: folder, detached: true, stdio: "ignore" })
  while (!(await isListening(port))) {
    if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}; see ${folder}/log`)
    await sleep(10)
  }
  return { child, folder, port }
}

/**
 * The port of a PgBouncer in transaction mode before the server of a URL; it goes with the scope. Four connections to each
 * database serve all clients in turn.
 */
export const pgBouncer = (url: string): Effect.Effect<number, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(() => start(new URL(url))),
      ({ child, folder }) =>
        Effect.promise(async () => {
          const ended = once(child, "exit")
          child.kill("SIGTERM")
          await ended
          await rm(folder, { recursive: true, force: true })
          forgetServer(folder)
        })
    ),
    ({ port }) => port
  )

/** The same database through a port of this machine. */
export const throughPort = (url: string, port: number): string => {
  const changed = new URL(url)
  changed.hostname = "127.0.0.1"
  changed.port = String(port)
  return changed.href
}
