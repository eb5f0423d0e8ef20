import { execFile } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { HandlerOptions } from "@petstore/http"
import * as Effect from "effect/Effect"
import { filter, map as mapValues } from "effect/Record"
import express, { type ErrorRequestHandler, type RequestHandler } from "express"
import { expectLogs } from "../../../core/test/support/expectLogs.ts"
import { failuresInOrder, resolved } from "../../test/support/exampleConversation.ts"
import { listening } from "../../test/support/listening.ts"
import { adminKey, opened, sendingTo } from "../../test/support/mounts.ts"
import type { OpenApi, OperationObject, OrReference, PathItem, ResponseObject } from "./OpenApi.ts"
import { openApiDocument } from "./openApiDocument.ts"

const tools = fileURLToPath(new URL("../../../../tools/", import.meta.url))
const dredd = join(tools, "node_modules/dredd/bin/dredd")
const isInstalled = existsSync(dredd)
const skipped = isInstalled
  ? ""
  : " (skipped: dredd and express-openapi-validator are not installed: npm ci --prefix tools)"

expectLogs("It ends on 2030-12-05")

/** What both programs get: successes only, without the stream, which does not end. */
const successes = (document: OpenApi, change: (operation: OperationObject) => OperationObject) => ({
  ...document,
  paths: mapValues(
    filter(document.paths, (_, path) => path !== "/events/stream"),
    (item) =>
      Object.fromEntries(
        Object.entries(item).map(([key, part]) => {
          if (!("operationId" in part)) return [key, part]
          const responses = filter(part.responses, (_, status) => status.startsWith("2"))
          return [key, change({ ...part, responses })]
        })
      ) as PathItem
  )
})

/** Without optional parameters and headers, which dredd takes for required ones. */
const forDredd = (document: OpenApi) => {
  const { headers, parameters, responses } = document.components
  const responseOf = (response: OrReference<ResponseObject>): ResponseObject => {
    const found = resolved(response, responses)
    return { ...found, headers: filter(found.headers ?? {}, (one) => resolved(one, headers).required === true) }
  }
  return successes(document, (operation) => ({
    ...operation,
    parameters: (operation.parameters ?? []).filter((one) => resolved(one, parameters).required === true),
    responses: mapValues(operation.responses, responseOf)
  }))
}

/** Runs dredd on a server, and returns what it prints and whether all has passed. */
const runDredd = (url: string) =>
  Effect.acquireUseRelease(
    Effect.promise(() => mkdtemp(join(tmpdir(), "petstore-dredd-"))),
    (folder) =>
      Effect.promise(async () => {
        const file = join(folder, "openapi.json")
        await writeFile(file, JSON.stringify(forDredd(openApiDocument({ basePath: "" }))))
        const args = [dredd, file, url, "--loglevel=error", `--hookfiles=${tools}dredd/hooks.cjs`]
        const header = `--header=authorization: Bearer ${adminKey}`
        return new Promise<string>((resolve) => {
          execFile(process.execPath, [...args, header], (_error, stdout, stderr) => resolve(stdout + stderr))
        })
      }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true }))
  )

/**
 * A new server, with a verification and the consumer of the examples: no operation makes them. The consumer fails with each event, so that
 * the first is parked.
 */
const openedWithConsumer = (options: HandlerOptions = {}) =>
  Effect.tap(opened(options), ({ petstore }) =>
    Effect.promise(async () => {
      await petstore.verify({ record: true })
      await petstore.events.consume("invoices", () => Promise.reject(new Error("out of paper")), {
        after: 0,
        types: ["category.created"],
        parkAfter: 1,
        onError: () => {}
      })
    })
  )

/** The middleware of express-openapi-validator. The workspace has no types of it. */
const validator = (document: OpenApi): ReadonlyArray<RequestHandler> =>
  createRequire(`${tools}package.json`)("express-openapi-validator").middleware({
    apiSpec: JSON.parse(JSON.stringify(document)),
    validateRequests: true,
    validateResponses: true
  })

describe.skipIf(!isInstalled)(`the examples of the document${skipped}`, () => {
  it.live("given a new server, when dredd runs them in order, then each response has the form of its example", () =>
    Effect.gen(function* () {
      const { handler } = yield* openedWithConsumer({ basePath: "" })
      const printed = yield* Effect.flatMap(listening(handler.node), runDredd)
      assert.match(printed, /\d\d passing, 0 failing, 0 errors, 0 skipped/, printed)
    })
  )

  it.live("given express-openapi-validator before a new server, when they run in order, then it rejects nothing", () =>
    Effect.gen(function* () {
      const { handler } = yield* openedWithConsumer()
      const rejected: Array<unknown> = []
      const forward: RequestHandler = async (request, response) => {
        const { body, method, originalUrl } = request
        const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const)
        const sent = body === undefined ? {} : { body: JSON.stringify(body) }
        const reply = await handler.fetch(
          new Request(`http://shop.example${originalUrl}`, { method, headers: Object.fromEntries(headers), ...sent })
        )
        const text = await reply.text()
        response.status(reply.status).set(Object.fromEntries(reply.headers))
        if (text === "") response.end()
        else response.json(JSON.parse(text))
      }
      const failed: ErrorRequestHandler = (error, request, response, _next) => {
        rejected.push(`${request.method} ${request.originalUrl}: ${error}`)
        response.status(500).end()
      }
      const document = successes(openApiDocument(), (operation) => operation)
      const app = express()
        .use(express.json(), ...validator(document), forward)
        .use(failed)
      const { failures } = yield* failuresInOrder(sendingTo(yield* listening(app)), document)
      assert.deepStrictEqual({ failures, rejected }, { failures: [], rejected: [] })
    })
  )
})
