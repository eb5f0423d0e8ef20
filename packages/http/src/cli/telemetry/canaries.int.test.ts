import { rm } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { assert, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startOtlpCollector } from "../../../test/support/OtlpCollector.ts"
import { startServer } from "../../../test/support/PetstoreProcess.ts"
import { runPetstore } from "../../../test/support/runPetstore.ts"

/** Recognizable secrets, and texts of users, each in one place where it is used. */
const canaries = {
  adminKey: "canary-admin-key-a1b2c3d4e5f6",
  wrongKey: "psk_9_canaryWrongKeyCanaryWrongKeyCanaryWrongKeyCanary1",
  message: "canary-message-4711",
  idempotencyKey: "canary-idempotency-4712",
  malformedBody: "canary-malformed-4713",
  query: "canary-query-4714",
  cookie: "canary-cookie-4715",
  userAgent: "canary-agent-4716",
  collectorKey: "canary-collector-4717",
  password: "canary-password-4718"
}

interface Call {
  readonly method?: string
  readonly key?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

const call = (url: string, { body, headers = {}, key = canaries.adminKey, method = "GET" }: Call = {}) =>
  Effect.promise(async (signal) => {
    const response = await fetch(url, {
      signal,
      method,
      headers: {
        authorization: `Bearer ${key}`,
        cookie: `session=${canaries.cookie}`,
        "user-agent": canaries.userAgent,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers
      },
      ...(body === undefined ? {} : { body })
    })
    return { status: response.status, text: await response.text() }
  })

/** Sends bytes that are not a request, and reads the response. */
const sendBytes = (url: string, bytes: string): Effect.Effect<string> =>
  Effect.callback((resume) => {
    const { hostname, port } = new URL(url)
    let received = ""
    const socket = connect(Number(port), hostname, () => socket.write(bytes))
    socket.setEncoding("utf8").on("data", (text) => {
      received += text
    })
    socket.on("close", () => resume(Effect.succeed(received)))
    socket.on("error", () => {})
  })

it.live("given secrets in use, then logs, traces, metrics, errors, stats and the CLI show none of them", () =>
  Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const file = join(folder, "pets.db")
    const storage = ["--storage", `sqlite:${file}`]
    const collector = yield* startOtlpCollector
    const server = yield* startServer([...storage, "--log-format", "json", "--metrics", "0", "--otlp", collector.url], {
      env: {
        PETSTORE_ADMIN_KEY: canaries.adminKey,
        OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
        OTEL_EXPORTER_OTLP_HEADERS: `x-key=${canaries.collectorKey}`,
        OTEL_LOGS_EXPORTER: "otlp"
      }
    })
    const [, metricsUrl = ""] = yield* server.said(/Metrics: (http:[^"\s]+)/)
    const outputs: Record<string, string> = {}

    // Each secret is used where it works, and where it is rejected.
    const account = yield* call(`${server.url}/accounts`, { method: "POST", body: '{"name":"shop"}' })
    const { id: accountId } = JSON.parse(account.text)
    const created = yield* call(`${server.url}/api-keys`, {
      method: "POST",
      body: JSON.stringify({ accountId, name: "till", preset: "write" })
    })
    assert.strictEqual(created.status, 201, created.text)
    const apiKey: string = JSON.parse(created.text).key
    const secrets: Record<string, string> = { ...canaries, apiKey }
    const queue = (message: string) =>
      call(`${server.url}/messages`, {
        method: "POST",
        key: apiKey,
        headers: { "idempotency-key": canaries.idempotencyKey },
        body: JSON.stringify({ message })
      })
    assert.strictEqual((yield* queue(canaries.message)).status, 202)
    const reused = yield* queue("another message")
    assert.strictEqual(reused.status, 422)
    const wrong = yield* call(`${server.url}/pets`, { key: canaries.wrongKey })
    assert.strictEqual(wrong.status, 401)
    const malformed = yield* call(`${server.url}/messages`, {
      method: "POST",
      key: apiKey,
      body: `{"message": ${canaries.malformedBody}`
    })
    assert.strictEqual(malformed.status, 400)
    const queried = yield* call(`${server.url}/pets?cursor=${canaries.query}`, { key: apiKey })
    assert.strictEqual(queried.status, 400)
    outputs["an invalid request"] = yield* sendBytes(
      server.url,
      `GET / HTTP/9.9\r\nAuthorization: Bearer ${canaries.adminKey}\r\n\r\n`
    )
    outputs["error responses"] = [reused, wrong, malformed].map(({ text }) => text).join("\n")

    outputs.stats = yield* Effect.promise(async () => {
      await using petstore = await createPetstore({ storage: sqlite(file) })
      return JSON.stringify(await petstore.stats())
    })
    for (const args of [
      ["keys", "list"],
      ["keys", "list", "--json"],
      ["accounts", "list"],
      ["verify", "--json"],
      ["doctor"]
    ]) {
      const { code, stderr, stdout } = yield* runPetstore([...args, ...storage])
      assert.strictEqual(code, 0, stderr.join("\n"))
      assert.notStrictEqual(stdout.join("\n"), "")
      outputs[args.join(" ")] = [...stdout, ...stderr].join("\n")
    }
    const place = `127.0.0.1:1/shop`
    for (const [name, url] of Object.entries({
      "a server that is not there": `postgres://shop:${canaries.password}@${place}`,
      "an invalid URL": `postgres://shop:${canaries.password}@${place}?unknown=1`
    })) {
      for (const args of [["verify"], ["serve", "--port", "0", "--startup-timeout", "0"]]) {
        const { code, stderr, stdout } = yield* runPetstore([...args, "--storage", url])
        assert.notStrictEqual(code, 0)
        assert.notStrictEqual(stderr.join("\n"), "")
        outputs[`${args[0]} with ${name}`] = [...stdout, ...stderr].join("\n")
      }
    }

    // A request that fails is logged with its cause.
    yield* Effect.promise(() => rm(file))
    yield* queue(canaries.message)
    const failed = yield* call(`${server.url}/messages`, {
      method: "POST",
      key: apiKey,
      body: JSON.stringify({ message: canaries.message })
    })
    assert.strictEqual(failed.status, 503)
    outputs["a failed write"] = failed.text
    outputs.metrics = (yield* call(metricsUrl)).text
    server.child.kill("SIGTERM")
    assert.strictEqual(yield* server.ended, 0)
    outputs.log = server.stderr()
    outputs["standard output"] = server.stdout()
    outputs["traces, metrics and logs of OpenTelemetry"] = collector.text()

    // The outputs are those of these requests.
    assert.include(outputs.log, "sendMessage failed with storage_unavailable")
    assert.include(outputs.metrics, 'operation="sendMessage"')
    assert.include(outputs["traces, metrics and logs of OpenTelemetry"], "transaction messages.")
    assert.include(outputs["traces, metrics and logs of OpenTelemetry"], "failed with storage_unavailable")
    for (const [output, text] of Object.entries(outputs)) {
      for (const [name, secret] of Object.entries(secrets)) {
        assert.notInclude(text, secret, `${output} shows the canary ${name}`)
      }
    }
  }).pipe(Effect.scoped)
)
