import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { bundledProgram, compileCache } from "../../../adapters/test/support/bundledProgram.ts"
import { certificateAuthority, serverCertificate } from "../../../adapters/test/support/postgres/certificate.ts"
import { httpReceiver, httpsReceiver, rawReceiver } from "../../test/support/receivers.ts"

const run = promisify(execFile)
const program = fileURLToPath(new URL("../../test/programs/sendWebhooks.ts", import.meta.url))

/** The outcomes of webhooks to these URLs, sent by a process with these variables of the environment. */
const outcomesIn = (env: Readonly<Record<string, string>>, urls: ReadonlyArray<string>) =>
  Effect.promise(async (): Promise<ReadonlyArray<Readonly<Record<string, unknown>>>> => {
    const args = [await bundledProgram(program), ...urls]
    const { stdout } = await run(process.execPath, args, {
      env: { ...process.env, ...(await compileCache()), ...env },
      timeout: 100_000
    })
    return JSON.parse(stdout)
  })

describe("given an environment that changes how Node.js connects", () => {
  it.effect("when it names proxies, then webhooks go to the receiver without one", () =>
    Effect.gen(function* () {
      const proxy = yield* rawReceiver((socket) => socket.destroy())
      const receiver = yield* httpReceiver((_request, response) => response.end())
      const url = `http://127.0.0.1:${proxy.port}`
      const env = {
        NODE_USE_ENV_PROXY: "1",
        HTTP_PROXY: url,
        HTTPS_PROXY: url,
        ALL_PROXY: url,
        http_proxy: url,
        https_proxy: url,
        NO_PROXY: "",
        no_proxy: ""
      }
      const outcomes = yield* outcomesIn(env, [`http://localhost:${receiver.port}/`])
      assert.deepStrictEqual(outcomes, [{ delivered: true, status: 200 }])
      assert.strictEqual(proxy.connections(), 0)
    })
  )

  it.effect(
    "when it turns the check of certificates off, then webhooks are not sent to a receiver without a valid one",
    () =>
      Effect.gen(function* () {
        let requests = 0
        const { port } = yield* httpsReceiver(serverCertificate(certificateAuthority(), "localhost"), (_, response) => {
          requests++
          response.end()
        })
        const [outcome] = yield* outcomesIn({ NODE_TLS_REJECT_UNAUTHORIZED: "0" }, [`https://localhost:${port}/`])
        assert.deepInclude(outcome, { delivered: false, reason: "connection" })
        assert.include(outcome?.message, "certificate")
        assert.strictEqual(requests, 0)
      })
  )

  it.effect("when it makes the parser of HTTP lenient, then invalid responses stay invalid", () =>
    Effect.gen(function* () {
      const both = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
      const { port } = yield* rawReceiver((socket) => socket.once("data", () => socket.write(both)))
      const [outcome] = yield* outcomesIn({ NODE_OPTIONS: "--insecure-http-parser" }, [`http://localhost:${port}/`])
      assert.deepInclude(outcome, { delivered: false, reason: "invalid_response" })
    })
  )
})
