/** What follows the first lines of a request, and whether the client then says that it sends no more. */
export interface Framing {
  readonly headers: string
  readonly rest: string
  readonly ends?: boolean
}

/** Requests whose headers are in order and that go wrong afterwards. */
export const framings: Readonly<Record<string, Framing>> = {
  "the transfer coding identity": { headers: "Transfer-Encoding: identity\r\n", rest: "" },
  "the transfer coding gzip": { headers: "Transfer-Encoding: gzip\r\n", rest: "" },
  "the transfer coding xchunked": { headers: "Transfer-Encoding: xchunked\r\n", rest: "0\r\n\r\n" },
  "a parameter of the transfer coding": { headers: "Transfer-Encoding: chunked;q=1\r\n", rest: "0\r\n\r\n" },
  "chunks inside gzip": { headers: "Transfer-Encoding: gzip, chunked\r\n", rest: "0\r\n\r\n" },
  "chunks twice": { headers: "Transfer-Encoding: chunked, identity\r\n", rest: "0\r\n\r\n" },
  "a chunk whose size is no number": { headers: "Transfer-Encoding: chunked\r\n", rest: "zz\r\n" },
  "a chunk that is longer than its size": { headers: "Transfer-Encoding: chunked\r\n", rest: "2\r\nabc\r\n0\r\n\r\n" },
  "a chunk extension of 20,000 bytes": {
    headers: "Transfer-Encoding: chunked\r\n",
    rest: `1;${"x".repeat(20_000)}\r\na\r\n0\r\n\r\n`
  },
  "a trailer that is no header": { headers: "Transfer-Encoding: chunked\r\n", rest: "0\r\nno header\r\n\r\n" },
  "a body that ends too early": { headers: "Content-Length: 5\r\n", rest: "", ends: true },
  "a body of which a part is missing": { headers: "Content-Length: 5\r\n", rest: "ab", ends: true },
  "chunks without an end": { headers: "Transfer-Encoding: chunked\r\n", rest: "1\r\na\r\n", ends: true },
  "chunks without an end that are announced": {
    headers: "Transfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
    rest: "1\r\na\r\n",
    ends: true
  },
  "a body over the limit": { headers: `Content-Length: 300000\r\n`, rest: "x".repeat(300_000) }
}

/** Heads of requests that node:http takes, behind their method and target, and the code of the error. */
export const malformedHeads = (key: string): Readonly<Record<string, readonly [head: string, code: string]>> => {
  const authorization = `Authorization: Bearer ${key}\r\n`
  return {
    "two hosts": [`HTTP/1.1\r\nHost: x\r\nHost: y\r\n${authorization}`, "malformed_request"],
    "the same host twice": [`HTTP/1.1\r\nHost: x\r\n${authorization}host: x\r\n`, "malformed_request"],
    "two hosts in one line": [`HTTP/1.1\r\nHost: x,y\r\n${authorization}`, "malformed_request"],
    "a host with a path": [`HTTP/1.1\r\nHost: a b/../\r\n${authorization}`, "malformed_request"],
    "a host with a user": [`HTTP/1.1\r\nHost: u@x\r\n${authorization}`, "malformed_request"],
    "HTTP/2.0": [`HTTP/2.0\r\nHost: x\r\n${authorization}`, "malformed_request"],
    "HTTP/2.0 and chunks inside gzip": [
      `HTTP/2.0\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n${authorization}`,
      "malformed_request"
    ],
    "HTTP/0.9": [`HTTP/0.9\r\nHost: x\r\n${authorization}`, "malformed_request"],
    "HTTP/1.0 with chunks": [`HTTP/1.0\r\nTransfer-Encoding: chunked\r\n${authorization}`, "malformed_request"],
    "chunks inside gzip": [
      `HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip, chunked\r\n${authorization}`,
      "malformed_request"
    ],
    "two keys": [`HTTP/1.1\r\nHost: x\r\n${authorization}Authorization: Bearer other\r\n`, "unauthenticated"],
    "the same key twice": [`HTTP/1.1\r\nHost: x\r\n${authorization}${authorization}`, "unauthenticated"],
    "two types of its body": [
      `HTTP/1.1\r\nHost: x\r\n${authorization}Content-Type: application/json\r\nContent-Type: text/plain\r\nContent-Length: 0\r\n`,
      "unsupported_content_type"
    ]
  }
}

/** The responses in what came back, `100 Continue` excluded. */
export const statuses = (received: string): ReadonlyArray<number> =>
  [...received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status)).filter((status) => status !== 100)
