import { accessSync, constants, readdirSync } from "node:fs"
import { delimiter, join } from "node:path"
import { UsageError } from "../arguments.ts"

/** The paths of the programs of a cluster. */
export interface Programs {
  readonly etcd: string
  readonly patroni: string
  readonly haproxy: string
  /** The folder of `postgres`, `initdb`, `pg_basebackup` and `pg_rewind`. */
  readonly postgres: string
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const find = (name: string): string | undefined =>
  [...(process.env.PATH ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"]
    .map((folder) => join(folder, name))
    .find(isProgram)

const versionsOfPostgres = "/usr/lib/postgresql"

/** The newest PostgreSQL that Debian's packages have installed. */
const findPostgres = (): string | undefined => {
  try {
    return readdirSync(versionsOfPostgres)
      .sort((one, other) => Number(other) - Number(one))
      .map((version) => join(versionsOfPostgres, version, "bin"))
      .find((folder) => isProgram(join(folder, "pg_rewind")))
  } catch {
    return undefined
  }
}

/** Finds the programs. Fails with the command that installs what is missing. */
export const findPrograms = (): Programs => {
  const found = { etcd: find("etcd"), patroni: find("patroni"), haproxy: find("haproxy"), postgres: findPostgres() }
  const { etcd, haproxy, patroni, postgres } = found
  if (etcd !== undefined && patroni !== undefined && haproxy !== undefined && postgres !== undefined) {
    return { etcd, patroni, haproxy, postgres }
  }
  const packages = { etcd: "etcd-server", patroni: "patroni", haproxy: "haproxy", postgres: "postgresql" }
  const missing = Object.entries(packages).filter(([name]) => found[name as keyof Programs] === undefined)
  throw new UsageError(
    `Not installed: ${missing.map(([name]) => name).join(", ")}. On Debian or Ubuntu:\n` +
      `  apt-get install -y --no-install-recommends ${missing.map(([, name]) => name).join(" ")}`
  )
}
