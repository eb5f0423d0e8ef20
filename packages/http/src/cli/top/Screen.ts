/** Where frames are shown, such as standard output. */
export interface ScreenOutput {
  readonly columns?: number
  readonly rows?: number
  write(text: string): unknown
  on(event: "resize", listener: () => void): unknown
  off(event: "resize", listener: () => void): unknown
}

/** Where keys come from, such as standard input. */
export interface ScreenInput {
  readonly isTTY?: boolean
  setRawMode?(mode: boolean): unknown
  on(event: "data", listener: (keys: Uint8Array) => void): unknown
  off(event: "data", listener: (keys: Uint8Array) => void): unknown
  resume(): unknown
  pause(): unknown
}

const csi = "\x1b["
const begin = `${csi}?1049h${csi}?25l`
const end = `${csi}?25h${csi}?1049l`
const controlC = 3

/** A screen of its own in the terminal, as full-screen programs have it. What was there before comes back at the end. */
export class Screen {
  private readonly output: ScreenOutput
  private readonly input: ScreenInput
  private readonly onQuit: () => void
  private draw: (width: number) => ReadonlyArray<string> = () => []
  private isOpen = true

  /** Takes over the terminal. `onQuit`: for the keys q and Ctrl-C. */
  constructor(output: ScreenOutput, input: ScreenInput, onQuit: () => void) {
    this.output = output
    this.input = input
    this.onQuit = onQuit
    output.write(begin)
    output.on("resize", this.redraw)
    if (input.isTTY !== true) return
    input.setRawMode?.(true)
    input.on("data", this.onKeys)
    input.resume()
  }

  /** Shows the lines that `draw` returns for a width, as many as fit, and again when the terminal changes its size. */
  show(draw: (width: number) => ReadonlyArray<string>): void {
    this.draw = draw
    this.redraw()
  }

  /** Gives the terminal back as it was. */
  close(): void {
    if (!this.isOpen) return
    this.isOpen = false
    this.output.off("resize", this.redraw)
    if (this.input.isTTY === true) {
      this.input.off("data", this.onKeys)
      this.input.setRawMode?.(false)
      this.input.pause()
    }
    this.output.write(end)
  }

  private readonly redraw = (): void => {
    const columns = this.output.columns || 80
    const rows = this.output.rows || 24
    // The last column stays free: after a character there, terminals erase that with the rest of the line.
    const lines = this.draw(columns - 1).slice(0, rows)
    // Each line erases what was behind it: to erase the screen first would make it flicker.
    this.output.write(`${csi}H${lines.map((line) => `${line}${csi}K`).join("\r\n")}${csi}J`)
  }

  private readonly onKeys = (keys: Uint8Array): void => {
    if (keys.includes(controlC) || /^[qQ]$/.test(new TextDecoder().decode(keys))) this.onQuit()
  }
}
