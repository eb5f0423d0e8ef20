import { shown } from "@petstore/core/domain"
import { operations } from "../../api/operations.ts"

/** The paths of the server, as clients see them. */
export interface PublicPaths {
  /** The mount path, in front of every path. */
  readonly mount: string
  /** In front of the path of every operation. */
  readonly base: string
  /** Of the reference page. */
  readonly docs: string
}

const prefix = /^(?:\/[\w.~-]+)*$/

const checked = (name: string, path: string): string => {
  if (!prefix.test(path))
    throw new TypeError(
      `${name} must be "" or begin with a slash and not end with one, such as "/petstore", not ${shown(path)}`
    )
  return path
}

export const publicPaths = (mountPath: string, basePath: string): PublicPaths => {
  const mount = checked("mountPath", mountPath)
  return { mount, base: mount + checked("basePath", basePath), docs: `${mount}/docs` }
}

/**
 * Throws for a mount path that a path of the API begins with, such as `/store` with the operations at the root: `/store/pets/1`
 * would be ambiguous, because the host application may or may not strip the mount path.
 */
export const refuseAmbiguousMount = (
  { base, mount }: PublicPaths,
  router: { readonly find: (path: string) => unknown }
): void => {
  if (mount === "") return
  const clash = operations.map(({ path }) => base + path).find((path) => router.find(path) !== undefined)
  if (clash === undefined) return
  throw new TypeError(
    `mountPath ${mount} makes ${clash} ambiguous, because a path of the API begins with it. Leave basePath out, or choose another mountPath.`
  )
}
