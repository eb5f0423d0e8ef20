import { operations } from "../../api/operations.ts"
import type { Router } from "./Router.ts"

/** Where things are, as clients see them. */
export interface PublicPaths {
  /** In front of every path. */
  readonly mount: string
  /** In front of the path of an operation. */
  readonly base: string
  readonly docs: string
}

const prefix = /^(?:\/[\w.~-]+)*$/

const checked = (name: string, path: string): string => {
  if (!prefix.test(path)) throw new TypeError(`${name} must be "" or begin with a slash and not end with one: ${path}`)
  return path
}

export const publicPaths = (mountPath: string, basePath: string): PublicPaths => {
  const mount = checked("mountPath", mountPath)
  return { mount, base: mount + checked("basePath", basePath), docs: `${mount}/docs` }
}

/**
 * Refuses a mount whose path begins one of the API itself, such as `/store` with the operations at the root: nobody could
 * tell of `/store/pets/1` whether the host has stripped the mount.
 */
export const refuseAmbiguousMount = ({ base, mount }: PublicPaths, router: Router<unknown>): void => {
  if (mount === "") return
  const clash = operations.map(({ path }) => base + path).find((path) => router.find(path) !== undefined)
  if (clash === undefined) return
  throw new TypeError(
    `mountPath ${mount} leaves open what ${clash} means, as it begins a path of the API too. Leave basePath out, or choose another mountPath.`
  )
}
