import { createRequire } from "node:module"

/** What a password is for: host, port, database and user. */
type Login = object

/** Reads the password for a login from the usual file. */
type ReadPasswordFile = (login: Login, onEnd: (password: string | undefined) => void) => void

/** The package by which `pg` reads password files; undefined if it comes without one. */
const load = (): ReadPasswordFile | undefined => {
  try {
    const require = createRequire(import.meta.url)
    return createRequire(require.resolve("pg"))("pgpass")
  } catch {
    return undefined
  }
}

/** Reads the password of a client from the usual file. `pg` would do the same, and warn that it will not for ever. */
export const usePasswordFile = (client: object): void => {
  if (!("password" in client) || client.password !== null) return
  const read = load()
  if (read === undefined) return
  client.password = (login: Login) => new Promise((resolve) => read(login, resolve))
}
