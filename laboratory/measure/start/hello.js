// A server on Effect that says hello, with narrow imports: `node hello.js [cached]`. With `cached` it uses the compile cache of Node.js,
// as the petstore command does. Of JavaScript, so that no types are stripped at its start.

import { createServer } from "node:http"
import * as nodeModule from "node:module"

if (process.argv[2] === "cached") nodeModule.enableCompileCache?.()
const [Effect, Layer, HttpServer, HttpServerResponse, NodeHttpServer] = await Promise.all([
  import("effect/Effect"),
  import("effect/Layer"),
  import("effect/http/HttpServer"),
  import("effect/http/HttpServerResponse"),
  import("@effect/platform-node/NodeHttpServer")
])

const server = createServer()
server.on("listening", () => console.error(`listening on http://127.0.0.1:${server.address().port}`))
const hello = HttpServer.serve(Effect.succeed(HttpServerResponse.text("Hello")))
const listening = NodeHttpServer.layer(() => server, { host: "127.0.0.1", port: 0 })
Effect.runFork(Layer.launch(Layer.provide(hello, listening)))
