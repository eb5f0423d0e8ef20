import type { GroupConnection } from "../../src/postgres/commit/group/Group.ts"
import type { Parameter, Result } from "../../src/postgres/connection/PostgresConnection.ts"

/** A statement that a group has sent. */
export interface Sent {
  readonly text: string
  readonly values: ReadonlyArray<Parameter>
  /** Which flight it was in: those of one flight are sent without a wait between them. */
  readonly flight: number
}

/** What the server returns for statements that match: rows, a command, or an error to throw. */
export interface Scripted {
  readonly when: RegExp
  readonly rows?: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly command?: string
  readonly warning?: string
  readonly error?: unknown
}

/** A connection to a server that follows a script. Results arrive in a later turn of the event loop. */
export class ScriptedConnection implements GroupConnection {
  readonly sent: Array<Sent> = []
  broken = false
  lastResult = Number.NEGATIVE_INFINITY
  private readonly script: ReadonlyArray<Scripted>
  private flight = 0
  private isFlying = false
  private warning: string | undefined

  constructor(script: ReadonlyArray<Scripted>) {
    this.script = script
  }

  query(text: string, values: ReadonlyArray<Parameter> = []): Promise<Result> {
    if (!this.isFlying) {
      this.isFlying = true
      this.flight++
    }
    this.sent.push({ text, values, flight: this.flight })
    return new Promise((resolve, reject) =>
      setImmediate(() => {
        this.isFlying = false
        this.lastResult = performance.now()
        const answer = this.script.find(({ when }) => when.test(text))
        if (answer?.warning !== undefined) this.warning = answer.warning
        if (answer?.error !== undefined) return reject(answer.error)
        const rows = answer?.rows ?? []
        resolve({ rows, count: rows.length, command: answer?.command ?? text.split(/[ ;]/, 1)[0] ?? "" })
      })
    )
  }

  sendNow(): void {}

  run(text: string): Promise<Result> {
    return this.query(text)
  }

  takeWarning(): string | undefined {
    const { warning } = this
    this.warning = undefined
    return warning
  }

  break(): void {
    this.broken = true
  }

  expire(): void {}

  /** The statements that match, as `flight: statement`. */
  matching(pattern: RegExp): ReadonlyArray<string> {
    return this.sent.flatMap(({ flight, text }) => {
      const [found] = pattern.exec(text) ?? []
      return found === undefined ? [] : [`${flight}: ${found}`]
    })
  }
}

/** A row of a pet as the server returns it. */
export const petRow = (id: number, onHand = 10) => ({
  id,
  name: `Pet ${id}`,
  category_id: 1,
  version: 1,
  on_hand: onHand,
  reserved: 0,
  held: false,
  stock_version: 1,
  last_movement: 1,
  deleted: false
})

/** A row of an open order for a pet. */
export const orderRow = (id: number, petId: number) => ({
  id,
  state: "open",
  pet_id: petId,
  quantity: 1,
  ship_date: null,
  version: 1
})
