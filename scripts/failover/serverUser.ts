import { readFileSync } from "node:fs"

/** The user that a server runs as. */
export interface ServerUser {
  readonly uid: number
  readonly gid: number
}

const inPasswd = (name: string): ServerUser | undefined => {
  const line = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .find((entry) => entry.startsWith(`${name}:`))
  const [, , uid, gid] = line?.split(":") ?? []
  return uid === undefined || gid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) }
}

/**
 * Who runs the servers: PostgreSQL refuses to run as root, so root starts them as `postgres` or `nobody`. Undefined for
 * anyone else: servers run as the user of this process.
 */
export const serverUser = (): ServerUser | undefined => {
  if (process.getuid?.() !== 0) return undefined
  const user = inPasswd("postgres") ?? inPasswd("nobody")
  if (user === undefined) throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody")
  return user
}
