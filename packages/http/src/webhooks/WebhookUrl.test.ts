import { assert, describe, it } from "@effect/vitest"
import { array, map } from "effect/Arbitrary"
import { int, oneOf } from "../../../core/testing/src/combine.ts"
import { AllowedAddresses, isGlobal } from "./AllowedAddresses.ts"
import { parseWebhookUrl } from "./WebhookUrl.ts"

const strict = new AllowedAddresses({})
const withLoopback = new AllowedAddresses({ allowLoopback: true })

/** What is wrong with a URL; undefined if nothing is. */
const problemOf = (url: string, allowed = strict): string | undefined => {
  const parsed = parseWebhookUrl(url, allowed)
  return typeof parsed === "string" ? parsed : undefined
}

/**
 * Ways to write private addresses, of which a check of the text alone would miss most. Those of IPv4 are examples: every address is
 * written in every way below.
 */
const spellings = [
  "127.0.0.1",
  "127.1.",
  "127.000.000.001",
  "0177.0.0.01",
  "017700000001",
  "0x7f.0x0.0x0.0x1",
  "0x007f000001",
  "2130706433.",
  "127.0x0.01",
  "127.16777215",
  "%31%32%37.0.0.1",
  "１２７.０.０.１",
  "①②⑦.⓪.⓪.①",
  "𝟏𝟐𝟕.𝟎.𝟎.𝟏",
  "127。0。0。1",
  "127｡0｡0｡1",
  "12\u00ad7.0.0.1",
  "127.0.0.1:8443",
  // 0.0.0.0, which reaches this machine on Linux
  "0",
  "0.",
  "0x0",
  "0.1",
  // private networks, metadata of clouds, multicast and broadcast
  "012.0.0.1",
  "0300.0250.0.1",
  "3232235521",
  "169.254.43518",
  "0xa9fea9fe",
  "①⑥⑨.②⑤④.①⑥⑨.②⑤④",
  "0xa83f8110",
  "224.0.0.1",
  "4294967295",
  // IPv6
  "[::1]",
  "[::]",
  "[0000:0000:0000:0000:0000:0000:0000:0001]",
  "[0:0::0:1]",
  "[::0.0.0.1]",
  "[::127.0.0.1]",
  "[::ffff:127.0.0.1]",
  "[::FFFF:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:127.0.0.1]",
  "[::ffff:8.8.8.8]",
  "[::ffff:0:127.0.0.1]",
  "[64:ff9b::127.0.0.1]",
  "[64:ff9b:0:0:0:0:a9fe:a9fe]",
  "[64:ff9b:1::10.0.0.1]",
  "[2002:7f00:0001::1]",
  "[2001:0:0:0:0:0:80ff:fffe]",
  "[FE80::1]",
  "[fec0::1]",
  "[fd00:ec2::254]",
  "[ff02::1]",
  "[2001:db8::1]",
  // names of this machine
  "localhost",
  "LocalHost.",
  "localhost:8443",
  "ｌｏｃａｌｈｏｓｔ",
  "loc%61lhost",
  "local\u00adhost",
  "a.b.LOCALHOST."
]

/** Hosts that the parser of URLs refuses, and other parsers read as a private address. */
const malformed = [
  "[fe80::1%25eth0]",
  "[fe80::1%eth0]",
  "[::1%25lo]",
  "[::1",
  "::1",
  "[127.0.0.1]",
  "[::1]]",
  "[[::1]]",
  "256.0.0.1",
  "127.0.0.0.1",
  "127.0.0.256",
  "127.0..1",
  "0x7g.1",
  "08.0.0.1",
  "4294967296",
  "0x100000000",
  "1.2.3.4.5",
  "127.0.0.1%00",
  "127.0.0.1%00.shop.example",
  "127.0.0.1%20",
  "127.0.0.1 .shop.example",
  "shop.example%2f127.0.0.1",
  "shop.example%5c",
  "sh%op.example",
  "shop.example:0x1bb",
  "shop.example:65536",
  "shop.example:-1",
  "-->",
  ""
]

/** Whole URLs in forms that parsers read differently. */
const disguised = [
  "https:127.0.0.1/",
  "https:/127.0.0.1/",
  "https:///127.0.0.1/",
  "https:////127.0.0.1/",
  "https:\\\\127.0.0.1/",
  "https://shop.example\\@127.0.0.1/",
  "https://127.0.0.1\\@shop.example/",
  "https://shop.example@127.0.0.1/",
  "https://shop.example:443@127.0.0.1/",
  "https://shop.example%40127.0.0.1/",
  "https://user:password@shop.example/",
  "https://user@shop.example/",
  "https://:password@shop.example/",
  "https://127.0.0.1#@shop.example/",
  "https://127.0.0.1?@shop.example/",
  "https://127.0.0.1/@shop.example/",
  "https://shop.example#fragment",
  "https://1\t27.0.0.1/",
  "https://127.0.\n0.1/",
  "https://shop.example/\n",
  " https://shop.example/",
  "ht\ntps://127.0.0.1/",
  "//127.0.0.1/",
  "127.0.0.1",
  "/webhooks",
  "",
  "https:",
  "https://",
  "http://shop.example/",
  "HTTP://shop.example/",
  "http://127.0.0.1/",
  "ftp://shop.example/",
  "file:///etc/passwd",
  "unix:///run/docker.sock",
  "http+unix://%2frun%2fdocker.sock/",
  "gopher://127.0.0.1:6379/_INFO",
  "ws://shop.example/",
  "wss://shop.example/",
  "data:text/plain,hello",
  "javascript:alert(1)",
  "blob:https://shop.example/1"
]

describe("given no address that is allowed beside those of the internet", () => {
  for (const host of spellings) {
    it(`then https://${JSON.stringify(host).slice(1, -1)}/ is refused as not public`, () => {
      for (const path of ["/", "", "/path?query", "?query"]) {
        const problem = problemOf(`https://${host}${path}`)
        assert.match(problem ?? "", /^The (?:address is not one of the public internet|host is the machine that sends)/)
      }
      assert.isDefined(problemOf(`http://${host}/`))
    })
  }

  for (const url of [
    "http://127.0.0.1:3000/",
    "http://localhost:3000",
    "http://[::1]/",
    "https://127.1/",
    "https://app.localhost"
  ]) {
    it(`then the message for ${url} names the settings that allow this machine`, () => {
      assert.match(
        problemOf(url) ?? "",
        /To send to this machine.* --webhook-addresses 127\.0\.0\.1, .* allowLoopback: true/
      )
      const others = new AllowedAddresses({ allowAddresses: ["10.20.0.0/16"] })
      assert.match(problemOf(url, others) ?? "", /To send to this machine/)
    })
  }

  for (const url of ["http://10.0.0.1/", "https://192.168.1.7/", "http://intranet:8080/", "http://shop.example/"]) {
    it(`then the message for ${url} names the settings that allow a network`, () => {
      assert.match(problemOf(url) ?? "", /To send to a network of your own.* --webhook-addresses .* allowAddresses/)
    })
  }

  for (const host of malformed) {
    it(`then https://${JSON.stringify(host).slice(1, -1)}/ is refused`, () => {
      assert.isDefined(problemOf(`https://${host}/`))
    })
  }

  for (const url of disguised) {
    it(`then ${JSON.stringify(url)} is refused`, () => assert.isDefined(problemOf(url)))
  }

  for (const port of [0, 1, 22, 25, 80, 110, 442, 444, 1023]) {
    it(`then the port ${port} is refused, and the message names those that may be used`, () => {
      assert.match(
        problemOf(`https://shop.example:${port}/`) ?? "",
        /^The port \d+ is not allowed.* 443, .*1024 to 65535/
      )
    })
  }

  for (const port of [443, 1024, 8443, 65535]) {
    it(`then the port ${port} is accepted`, () => assert.isUndefined(problemOf(`https://shop.example:${port}/`)))
  }

  for (const [url, host, path] of [
    ["https://shop.example", "shop.example", "/"],
    ["https://shop.example/webhooks?a=b", "shop.example", "/webhooks?a=b"],
    ["HTTPS://SHOP.Example./", "shop.example", "/"],
    ["https://bücher.example/ä", "xn--bcher-kva.example", "/%C3%A4"],
    ["https://8.8.8.8/", "8.8.8.8", "/"],
    ["https://134744072/", "8.8.8.8", "/"],
    ["https://[2606:4700:4700::1111]/", "2606:4700:4700::1111", "/"],
    ["https://[64:ff9b::8.8.8.8]/", "64:ff9b::808:808", "/"],
    ["https://127.0.0.1.shop.example/", "127.0.0.1.shop.example", "/"],
    ["https://localhost.shop.example/", "localhost.shop.example", "/"],
    ["https://@shop.example/", "shop.example", "/"]
  ] as const) {
    it(`then ${url} is accepted, as ${host}`, () => {
      assert.deepStrictEqual(parseWebhookUrl(url, strict), { protocol: "https:", host, port: 443, path })
    })
  }
})

/** Ways to write a number in a host. */
const notations: ReadonlyArray<(value: number) => string> = [
  (value) => String(value),
  (value) => `0x${value.toString(16)}`,
  (value) => `0X${value.toString(16).toUpperCase().padStart(10, "0")}`,
  (value) => `0${value.toString(8)}`,
  (value) => `0000${value.toString(8)}`
]

/** Ways to write a character in a host. */
const encodings: ReadonlyArray<(character: string) => string> = [
  (character) => character,
  (character) => `%${character.charCodeAt(0).toString(16)}`,
  (character) => (character === "." ? "\u3002" : String.fromCharCode(character.charCodeAt(0) + 0xfee0)),
  (character) => `${character}\u00ad`
]

describe("given any IPv4 address in any spelling", () => {
  it.prop(
    "then it is read as that address, and accepted if that is global",
    {
      octets: array(
        oneOf(
          int(0, 255),
          map(int(0, 1), (bit) => bit * 127)
        ),
        { minLength: 4, maxLength: 4 }
      ),
      parts: int(1, 4),
      choices: array(int(0, 1_000), { minLength: 60, maxLength: 60 })
    },
    ({ choices, octets, parts }) => {
      const whole = octets.slice(parts - 1).reduce((sum, octet) => sum * 256 + octet, 0)
      const numbers = [...octets.slice(0, parts - 1), whole]
      const choose = <A>(list: ReadonlyArray<A>, index: number): A =>
        list[(choices[index % choices.length] ?? 0) % list.length] ?? assert.fail()
      const written = numbers.map((value, index) => choose(notations, index)(value)).join(".")
      const host = [...written].map((character, index) => choose(encodings, index + 4)(character)).join("")
      const dotted = octets.join(".")
      for (const text of [host, `${host}.`]) {
        const url = parseWebhookUrl(`https://${text}/`, strict)
        if (isGlobal(dotted)) assert.propertyVal(url, "host", dotted, text)
        else assert.match(String(url), /not one of the public internet/, text)
      }
    },
    { arbitrary: { runs: 200 } }
  )
})

describe("given that this machine is allowed", () => {
  for (const url of [
    "http://127.0.0.1:8080/",
    "http://127.0.0.1/",
    "http://localhost:3000/webhooks",
    "http://app.localhost:3000/",
    "http://[::1]:3000/",
    "http://0x7f.1:3000/",
    "https://localhost:3000/",
    "https://127.0.0.1/",
    "https://shop.example/"
  ]) {
    it(`then ${url} is accepted`, () => assert.isUndefined(problemOf(url, withLoopback)))
  }

  for (const url of [
    "http://8.8.8.8/",
    "http://10.0.0.1/",
    "https://10.0.0.1/",
    "https://169.254.169.254/",
    "https://0.0.0.0/",
    "https://[::]/",
    "http://127.0.0.1:22/",
    "http://user@127.0.0.1/",
    "https://[fe80::1]/"
  ]) {
    it(`then ${url} is refused all the same`, () => assert.isDefined(problemOf(url, withLoopback)))
  }
})

describe("given that some addresses are allowed", () => {
  const allowed = new AllowedAddresses({ allowAddresses: ["10.20.0.0/16", "fd00::7"] })

  for (const url of [
    "http://10.20.0.1/",
    "https://10.20.255.255:8443/",
    "http://[fd00::7]/",
    "http://intranet:8080/"
  ]) {
    it(`then ${url} is accepted`, () => assert.isUndefined(problemOf(url, allowed)))
  }

  for (const url of [
    "http://10.21.0.1/",
    "https://10.19.255.255/",
    "http://[fd00::8]/",
    "http://127.0.0.1/",
    "https://localhost/",
    "http://8.8.8.8/"
  ]) {
    it(`then ${url} is refused`, () => assert.isDefined(problemOf(url, allowed)))
  }
})
