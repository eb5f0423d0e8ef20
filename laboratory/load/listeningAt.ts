import type { ChildProcess } from "node:child_process"

/** The URL at which a server says on standard error that it listens. */
export const listeningAt = (server: ChildProcess, name: string): Promise<URL> =>
  new Promise((resolve, reject) => {
    let said = ""
    server.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text
      const [, found] = /listening on (http:[^\s"]+)[\s"]/.exec(said) ?? []
      if (found !== undefined) resolve(new URL(found))
    })
    server.once("close", () => reject(new Error(`${name} ended at its start: ${said}`)))
    server.once("error", reject)
  })
