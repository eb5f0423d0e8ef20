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
