import { rm } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { inspect } from "node:util"
import { assert, it } from "@effect/vitest"
import { sqlite } from "@petstore/adapters/sqlite"
import { createPetstore } from "@petstore/core"
import * as Effect from "effect/Effect"
import { freePort } from "../../../../adapters/test/support/freePort.ts"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { startOtlpCollector } from "../../../test/support/OtlpCollector.ts"
import { startPetstore, startServer } from "../../../test/support/PetstoreProcess.ts"
import { httpReceiver } from "../../../test/support/receivers.ts"
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
  password: "canary-password-4718",
  webhookPath: "canary-webhook-path-4719",
  webhookQuery: "canary-webhook-query-4720",
  webhookResponse: "canary-webhook-response-4721"
}

const endpointPath = `/${canaries.webhookPath}?token=${canaries.webhookQuery}`

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

/** Waits until the first delivery of a list was attempted. */
const untilAttempted = (list: Effect.Effect<string>): Effect.Effect<string> =>
  Effect.flatMap(list, (text) =>
    JSON.parse(text)[0]?.attempts > 0
      ? Effect.succeed(text)
      : Effect.andThen(
          Effect.sleep("20 millis"),
          Effect.suspend(() => untilAttempted(list))
        )
  )

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
    const settings = ["--log-format", "json", "--metrics", "0", "--webhook-addresses", "127.0.0.1"]
    const server = yield* startServer([...storage, ...settings, "--otlp", collector.url], {
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
    // Endpoints whose URL has a token: one refuses what it gets, one redirects, one is not there, and one is not allowed.
    const requests: Array<string> = []
    const receiver = yield* httpReceiver((request, response) => {
      requests.push(String(request.headers["webhook-signature"]))
      const isRedirect = request.url?.startsWith("/away") === true
      response.writeHead(isRedirect ? 302 : 500, { location: `http://127.0.0.1:1${endpointPath}` })
      response.end(canaries.webhookResponse)
    })
    const closedPort = yield* Effect.promise(freePort)
    const places = [`${receiver.port}`, `${receiver.port}/away`, `${closedPort}`]
    const secretOf = (text: string): string => JSON.parse(text).secret.slice("whsec_".length)
    for (const [index, place] of places.entries()) {
      const path = `${server.url}/webhooks`
      const body = JSON.stringify({ url: `http://127.0.0.1:${place}${endpointPath}`, types: ["category.created"] })
      const webhook = yield* call(path, { method: "POST", body })
      assert.strictEqual(webhook.status, 201, webhook.text)
      secrets[`the signing secret of webhook ${index + 1}`] = secretOf(webhook.text)
      const rotated = yield* call(`${path}/${index + 1}/rotate-secret`, { method: "POST", body: "{}" })
      secrets[`the new secret of webhook ${index + 1}`] = secretOf(rotated.text)
      const tested = yield* call(`${path}/${index + 1}/test`, { method: "POST" })
      assert.isFalse(JSON.parse(tested.text).delivered, tested.text)
      outputs[`the test of webhook ${index + 1}`] = tested.text
    }
    for (const url of [`http://10.1.2.3${endpointPath}`, `https://user:${canaries.password}@hooks.example/`]) {
      const forbidden = yield* call(`${server.url}/webhooks`, { method: "POST", body: JSON.stringify({ url }) })
      assert.strictEqual(forbidden.status, 400, forbidden.text)
      outputs[`the refusal of ${new URL(url).host}`] = forbidden.text
    }
    const category = yield* call(`${server.url}/categories`, { method: "POST", body: '{"name":"Cats"}' })
    assert.strictEqual(category.status, 201)
    const deliveries = yield* untilAttempted(
      Effect.map(call(`${server.url}/webhooks/1/deliveries`), ({ text }) => text)
    )
    assert.isTrue(requests.every((signatures) => signatures.split(" ").length === 2))
    outputs["deliveries over HTTP"] = deliveries
    outputs["the documents"] = (yield* call(`${new URL(server.url).origin}/openapi.json`)).text
    outputs["an invalid request"] = yield* sendBytes(
      server.url,
      `GET / HTTP/9.9\r\nAuthorization: Bearer ${canaries.adminKey}\r\n\r\n`
    )
    outputs["error responses"] = [reused, wrong, malformed].map(({ text }) => text).join("\n")

    outputs.stats = yield* Effect.promise(async () => {
      await using petstore = await createPetstore({ storage: sqlite(file) })
      const stats = await petstore.stats()
      assert.strictEqual(stats.webhooks.endpoints[0]?.pending, 1)
      const error = await petstore.webhooks
        .create({ url: `ftp://hooks.example${endpointPath}` })
        .catch((cause) => cause)
      const rejected = await petstore.webhooks.get(99).catch((cause) => cause)
      const dumps = [petstore, error, rejected].map((value) => inspect(value, { depth: 20, showHidden: true }))
      return [JSON.stringify(stats), ...dumps].join("\n")
    })
    const test = yield* runPetstore([
      "call",
      "testWebhook",
      "webhookId=1",
      "--webhook-addresses",
      "127.0.0.1",
      ...storage
    ])
    assert.strictEqual(test.code, 0)
    outputs["call testWebhook"] = [...test.stdout, ...test.stderr].join("\n")
    const list = yield* runPetstore(["call", "listWebhooks", ...storage])
    // The URL is shown to those who may read the database: they have to recognize it.
    outputs["call listWebhooks"] = list.stdout.join("\n").replaceAll(endpointPath, "")
    const tail = yield* startPetstore(["events", "tail", "--after", "0", "--types", "webhook.created", ...storage])
    yield* tail.printed(/webhooks\/3/)
    tail.child.kill("SIGINT")
    yield* tail.ended
    outputs["events tail"] = tail.stdout() + tail.stderr()
    for (const args of [
      ["call", "listApiKeys"],
      ["call", "listAccounts"],
      ["verify", "--json"],
      ["call", "listDeliveries", "webhookId=1"],
      ["call", "redeliver", "webhookId=1", "after=0"],
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
    assert.match(outputs.metrics, /petstore_webhook_attempts_total\{[^}]*outcome="status"\} [1-9]/)
    assert.include(outputs["traces, metrics and logs of OpenTelemetry"], "webhooks.deliver")
    assert.include(outputs["traces, metrics and logs of OpenTelemetry"], "transaction messages.")
    assert.include(outputs["traces, metrics and logs of OpenTelemetry"], "failed with storage_unavailable")
    for (const [output, text] of Object.entries(outputs)) {
      for (const [name, secret] of Object.entries(secrets)) {
        assert.notInclude(text, secret, `${output} shows the canary ${name}`)
      }
    }
  }).pipe(Effect.scoped)
)
