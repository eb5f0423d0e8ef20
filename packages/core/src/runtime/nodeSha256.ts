/** What is used of `process`; core has no types of Node.js. */
declare const process: {
  readonly getBuiltinModule: (id: "node:crypto") => {
    readonly hash: (algorithm: "sha256", data: Uint8Array, encoding: "buffer") => Uint8Array
  }
}

/** SHA-256 by Node.js, for which nothing has to be loaded before the first digest. */
export const sha256 = (bytes: Uint8Array): Uint8Array =>
  new Uint8Array(process.getBuiltinModule("node:crypto").hash("sha256", bytes, "buffer"))
