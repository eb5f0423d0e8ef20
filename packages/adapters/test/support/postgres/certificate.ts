import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto"

// X.509 in DER, as far as the tests of TLS need it: Node.js reads certificates but makes none.
const der = (tag: number, ...parts: ReadonlyArray<Uint8Array>): Buffer => {
  const body = Buffer.concat(parts)
  const size = body.length
  const length = size < 128 ? [size] : size < 256 ? [0x81, size] : [0x82, size >> 8, size & 0xff]
  return Buffer.concat([Buffer.from([tag, ...length]), body])
}
const sequence = (...parts: ReadonlyArray<Uint8Array>) => der(0x30, ...parts)
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"))
const isTrue = der(0x01, Buffer.from([0xff]))
const bits = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes)
const nameOf = (commonName: string) => sequence(der(0x31, sequence(oid("550403"), der(0x0c, Buffer.from(commonName)))))
const timeOf = (date: Date) => {
  const digits = date.toISOString().replaceAll(/[-:T]/g, "").slice(2, 14)
  return der(0x17, Buffer.from(`${digits}Z`))
}
const hour = 3_600_000
const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"))

/** A certificate with its key, both as PEM. */
export interface Certificate {
  readonly certificate: string
  readonly key: string
}

interface Authority extends Certificate {
  readonly name: string
  readonly privateKey: KeyObject
}

const make = (
  name: string,
  extension: Uint8Array,
  issuer: Pick<Authority, "name" | "privateKey"> | undefined,
  end = Date.now() + 24 * hour
): Authority => {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" })
  const unsigned = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(8)])),
    ecdsaWithSha256,
    nameOf(issuer?.name ?? name),
    sequence(timeOf(new Date(Math.min(Date.now(), end) - hour)), timeOf(new Date(end))),
    nameOf(name),
    publicKey.export({ type: "spki", format: "der" }),
    der(0xa3, sequence(extension))
  )
  const signature = sign("sha256", unsigned, issuer?.privateKey ?? privateKey)
  const text = sequence(unsigned, ecdsaWithSha256, bits(signature)).toString("base64")
  return {
    name,
    privateKey,
    certificate: `-----BEGIN CERTIFICATE-----\n${text.match(/.{1,64}/g)?.join("\n")}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: "pkcs8", format: "pem" }).toString()
  }
}

/** An authority of its own, which no system knows. */
export const certificateAuthority = (): Authority =>
  make("Petstore test authority", sequence(oid("551d13"), isTrue, der(0x04, sequence(isTrue))), undefined)

/** A certificate for a server under this host name, for a day or until a time in milliseconds since 1970. */
export const serverCertificate = (authority: Authority, host: string, end?: number): Certificate =>
  make(
    host,
    sequence(
      oid("551d11"),
      der(
        0x04,
        sequence(
          /^[\d.]+$/.test(host) ? der(0x87, Buffer.from(host.split(".").map(Number))) : der(0x82, Buffer.from(host))
        )
      )
    ),
    authority,
    end
  )
