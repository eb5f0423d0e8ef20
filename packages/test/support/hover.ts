import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { compiler } from "./compilers.ts"

interface Message {
  readonly id?: number
  readonly method?: string
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

/** Splits what a language server writes into its messages: each has a header with its length in bytes. */
const reader = (receive: (message: Message) => void) => {
  let pending = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    pending = Buffer.concat([pending, chunk])
    for (;;) {
      const start = pending.indexOf("\r\n\r\n") + 4
      const length = Number(/Content-Length: (\d+)/i.exec(pending.subarray(0, start).toString())?.[1])
      if (start < 4 || pending.length < start + length) return
      receive(JSON.parse(pending.subarray(start, start + length).toString()))
      pending = pending.subarray(start + length)
    }
  }
}

const capabilities = { textDocument: { hover: { contentFormat: ["markdown"] } } }

/** The type in what is shown, on one line: in a block of code, with the documentation below. */
const typeIn = ({ contents }: Hover): string =>
  (/```\w*\n(.*?)\n```/s.exec(contents.value)?.[1] ?? "").replaceAll(/\s+/g, " ")

/** The names that are declared, and those that end a line. */
const places = /(?<=^const )\w+|(?<=\.)\w+$/g

interface Hover {
  readonly contents: { readonly value: string }
}

/** The hovers that an editor shows for the names that a file declares, from the language server of the compiler. */
export const hovers = async (folder: string, file: string): Promise<Readonly<Record<string, string>>> => {
  const server = spawn(process.execPath, [compiler, "--lsp", "--stdio"], {
    cwd: folder,
    stdio: ["pipe", "pipe", "ignore"]
  })
  const waiting = new Map<
    number,
    { readonly resolve: (result: unknown) => void; readonly reject: (why: Error) => void }
  >()
  const send = (message: object): void => {
    const text = JSON.stringify({ jsonrpc: "2.0", ...message })
    server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  }
  const request = (method: string, params: object): Promise<unknown> => {
    const id = waiting.size + 1
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject })
      send({ id, method, params })
    })
  }
  server.stdout.on(
    "data",
    reader(({ error, id, method, result }) => {
      if (id === undefined) return
      // Requests of the server, such as for settings, get no value.
      if (method !== undefined) send({ id, result: null })
      else if (error !== undefined) waiting.get(id)?.reject(new Error(error.message))
      else waiting.get(id)?.resolve(result)
    })
  )
  try {
    const text = readFileSync(join(folder, file), "utf8")
    const uri = pathToFileURL(join(folder, file)).href
    await request("initialize", { processId: process.pid, rootUri: pathToFileURL(folder).href, capabilities })
    send({ method: "initialized", params: {} })
    send({
      method: "textDocument/didOpen",
      params: { textDocument: { uri, languageId: "typescript", version: 1, text } }
    })
    const shown = new Map<string, string>()
    for (const [line, content] of text.split("\n").entries()) {
      for (const { 0: name, index } of content.matchAll(places)) {
        const hover = (await request("textDocument/hover", {
          textDocument: { uri },
          position: { line, character: index }
        })) as Hover
        shown.set(name, typeIn(hover))
      }
    }
    return Object.fromEntries(shown)
  } finally {
    server.kill()
  }
}
