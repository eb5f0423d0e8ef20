import { readFileSync } from "node:fs"

/** The user that a server process runs as; nothing if it is the user of the tests. */
export interface ServerUser {
  readonly uid?: number
  readonly gid?: number
}

/** PostgreSQL refuses to run as root, so tests of root run it as a user that every machine has. */
export const serverUser = (): ServerUser => {
  if (process.getuid?.() !== 0) return {}
  const users = readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .map((line) => line.split(":"))
  const user = users.find(([name]) => name === "postgres") ?? users.find(([name]) => name === "nobody")
  if (user === undefined) {
    throw new Error(
      "PostgreSQL does not run as root, and this machine has no user `postgres` or `nobody`. Run the tests as another user."
    )
  }
  return { uid: Number(user[2]), gid: Number(user[3]) }
}
