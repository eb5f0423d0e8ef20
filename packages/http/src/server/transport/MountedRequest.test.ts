import { IncomingMessage, ServerResponse } from "node:http"
import { Socket } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import { addHeaders } from "./MountedRequest.ts"

/** The header of a response for which the app has set a value, and the petstore others. */
const header = (name: string, app: string | ReadonlyArray<string> | number, ...own: ReadonlyArray<string>) => {
  const response = new ServerResponse(new IncomingMessage(new Socket()))
  response.setHeader(name, typeof app === "object" ? [...app] : app)
  addHeaders(
    response,
    own.flatMap((value) => [name, value])
  )
  return response.getHeader(name)
}

describe("given a header that the app has set", () => {
  const cases = [
    ["Vary", "Origin", ["Accept-Encoding"], "Origin, Accept-Encoding"],
    ["Vary", ["Origin", "Cookie"], ["origin", "Accept-Encoding"], "Origin, Cookie, Accept-Encoding"],
    ["Vary", "*", ["Accept-Encoding"], "*"],
    [
      "Link",
      "</app.css>; rel=preload",
      ['</a>; rel="next"', '</b>; rel="help"'],
      '</app.css>; rel=preload, </a>; rel="next", </b>; rel="help"'
    ],
    ["RateLimit", '"app";r=9;t=1', ['"default";r=8;t=1'], '"app";r=9;t=1, "default";r=8;t=1'],
    ["Cache-Control", "no-store", ["private, no-cache"], "private, no-cache, no-store"],
    ["Cache-Control", "public, max-age=600", ["private, no-cache"], "private, no-cache"],
    ["Cache-Control", "max-age=0, Private,no-transform", ["no-store"], "no-store, Private, no-transform"],
    ["X-Request-Id", 7, ["a-1"], "a-1"],
    ["Set-Cookie", ["a=1", "b=2"], [], ["a=1", "b=2"]]
  ] as const
  for (const [name, app, own, sent] of cases) {
    it(`when ${name} is "${app}" and the petstore sends "${own.join('" and "')}", then it is "${sent}"`, () => {
      assert.deepStrictEqual<unknown>(header(name, app, ...own), sent)
    })
  }
})
