/** Aborts when an attempt ends. Made when it is read: most attempts use a connection that is open, and resolve no name. */
export class EndSignal {
  private controller: AbortController | undefined
  private hasEnded = false

  get signal(): AbortSignal {
    this.controller ??= new AbortController()
    if (this.hasEnded) this.controller.abort()
    return this.controller.signal
  }

  readonly abort = (): void => {
    this.hasEnded = true
    this.controller?.abort()
  }
}
