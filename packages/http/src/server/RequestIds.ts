/** The ids that clients may choose: short, and harmless wherever they are printed. */
const acceptable = /^[\w.:/+=@-]{1,128}$/

/** Makes request ids: the one that the client sent if it is acceptable, else a number with a prefix of this server. */
export class RequestIds {
  private readonly prefix: string
  private count = 0

  constructor(randomBytes: (length: number) => Uint8Array) {
    this.prefix = Array.from(randomBytes(6), (byte) => byte.toString(16).padStart(2, "0")).join("")
  }

  next(sent?: string): string {
    return sent !== undefined && acceptable.test(sent) ? sent : `${this.prefix}-${(++this.count).toString(36)}`
  }
}
