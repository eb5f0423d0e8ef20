/** What a request may call itself: short, and harmless wherever it is printed. */
const sane = /^[\w.:/+=@-]{1,128}$/

/** Names requests: as the client does if it does so sanely, else by a number behind a prefix that tells servers apart. */
export class RequestIds {
  private readonly prefix: string
  private count = 0

  constructor(randomBytes: (length: number) => Uint8Array) {
    this.prefix = Array.from(randomBytes(6), (byte) => byte.toString(16).padStart(2, "0")).join("")
  }

  next(asked?: string): string {
    return asked !== undefined && sane.test(asked) ? asked : `${this.prefix}-${(++this.count).toString(36)}`
  }
}
