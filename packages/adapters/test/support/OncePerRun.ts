import { once } from "node:events"
import { createServer, get, type IncomingMessage, type Server } from "node:http"
import { text } from "node:stream/consumers"

/** What tests of a run share: made when the first test asks for it, removed after the last project that may need it. */
export interface Shared {
  /** Describes it to tests, for example its URL or folder. */
  readonly text: string
  readonly remove: () => Promise<void>
}

// Each project loads global setups anew.
const all: typeof globalThis & { sharedOfTests?: Map<string, OncePerRun> } = globalThis

/** Serves its text at an address, because tests run in other processes than global setups. */
export class OncePerRun {
  private making: Promise<Shared> | undefined
  private readonly http: Server
  private readonly listening: Promise<string>
  private users = 0

  private constructor(make: () => Promise<Shared>) {
    this.http = createServer((_, response) => {
      this.making ??= make()
      this.making.then(
        ({ text }) => response.end(text),
        (error: unknown) => response.writeHead(500).end(String(error))
      )
    })
    this.http.listen(0, "127.0.0.1").unref()
    this.listening = once(this.http, "listening").then(() => {
      const address = this.http.address()
      return typeof address === "object" ? `http://127.0.0.1:${address?.port}` : ""
    })
  }

  /** The address for one more project, and what to call when this project has ended. */
  static async use(
    name: string,
    make: () => Promise<Shared>
  ): Promise<{ readonly address: string; readonly release: () => Promise<void> }> {
    all.sharedOfTests ??= new Map()
    const known = all.sharedOfTests
    const shared = known.get(name) ?? new OncePerRun(make)
    known.set(name, shared)
    shared.users++
    const release = async (): Promise<void> => {
      shared.users--
      if (shared.users > 0) return
      known.delete(name)
      await shared.end()
    }
    return { address: await shared.listening, release }
  }

  private async end(): Promise<void> {
    this.http.close()
    this.http.closeAllConnections()
    await (await this.making?.catch(() => undefined))?.remove()
  }
}

/** In a test: what is served at an address. `fetch` would stop waiting after five minutes, which a busy machine may need to make it. */
export const sharedText = async (address: string): Promise<string> => {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(address, resolve).on("error", reject)
  })
  const served = await text(response)
  if (response.statusCode !== 200) throw new Error(served)
  return served
}
