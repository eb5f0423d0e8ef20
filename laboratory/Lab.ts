import type { Question } from "./Question.ts"

/** How a question is asked: what the command line says of it. */
export interface Asked {
  readonly seed?: number | undefined
  readonly rounds?: number | undefined
  readonly minutes?: number | undefined
}

/** Milliseconds between two lines about how far a question is. */
const reported = 30_000

/** A question while it is asked: its seeds, rounds and time, and what it finds. */
export class Lab<Values extends object = object> {
  readonly flags: Values
  readonly seed: number
  readonly rounds: number
  findings = 0
  readonly #name: string
  readonly #start = performance.now()
  readonly #end: number

  constructor(name: string, question: Pick<Question, "rounds">, { minutes, rounds, seed }: Asked, flags: Values) {
    this.#name = name
    this.flags = flags
    this.seed = seed ?? Math.floor(Math.random() * 2 ** 31)
    // A limit of time takes the place of a number of rounds.
    this.rounds = rounds ?? (minutes === undefined ? (question.rounds ?? 1) : Number.POSITIVE_INFINITY)
    this.#end = this.#start + (minutes ?? Number.POSITIVE_INFINITY) * 60_000
  }

  get seconds(): string {
    return `${Math.round((performance.now() - this.#start) / 1000)} s`
  }

  get isOver(): boolean {
    return performance.now() >= this.#end
  }

  /** Prints a line, also while a question mutes the console. */
  log(line: string): void {
    process.stdout.write(`${line}\n`)
  }

  /** Reports what should not be, and the command that shows it again. */
  found(problem: string, again: string = this.#seeded(this.seed, this.rounds)): void {
    this.findings++
    this.log(`${problem}\n  Again: npm run lab -- ${this.#name}${this.#given(again)} ${again}`.trimEnd())
  }

  /** Runs rounds, each with a seed of its own, until there is no round or no time left. A round returns its problems. */
  async eachSeed(
    round: (seed: number) => Promise<ReadonlyArray<string>>,
    { atOnce = 1, figures = () => "" }: { readonly atOnce?: number; readonly figures?: () => string } = {}
  ): Promise<void> {
    let [begun, done, told] = [0, 0, performance.now()]
    const tell = (): void => {
      told = performance.now()
      this.log(
        `${done} rounds from seed ${this.seed}, ${this.findings} findings, ${this.seconds} ${figures()}`.trimEnd()
      )
    }
    const work = async (): Promise<void> => {
      while (begun < this.rounds && !this.isOver) {
        const seed = this.seed + begun++
        for (const problem of await round(seed)) this.found(problem, this.#seeded(seed, 1))
        done++
        if (performance.now() - told > reported && begun < this.rounds) tell()
      }
    }
    await Promise.all(Array.from({ length: atOnce }, work))
    tell()
    if (done === 0) this.found("There was no time for a round")
  }

  #seeded(seed: number, rounds: number): string {
    return Number.isFinite(rounds) ? `--seed ${seed} --rounds ${rounds}` : `--seed ${seed}`
  }

  /** The flags that were given, but for those that the repetition sets. */
  #given(again: string): string {
    return Object.entries(this.flags)
      .filter(([name, value]) => value !== undefined && value !== false && !again.includes(`--${name} `))
      .map(([name, value]) => (value === true ? ` --${name}` : ` --${name} ${value}`))
      .join("")
  }
}
