import { commute, describeEnd, type Program, RunningCommand, type Step } from "./RunningCommand.ts"
import { type StoredState, World } from "./World.ts"

/** The name of a command in a trace. */
export const letterOf = (place: number): string => String.fromCharCode(65 + place)

/** Several commands that run at once, and the steps that they have taken. */
export class Interleaving {
  readonly world: World
  readonly commands: ReadonlyArray<RunningCommand>
  readonly order: Array<number> = []
  readonly trace: Array<string> = []

  constructor(initial: StoredState, programs: ReadonlyArray<Program>) {
    const world = new World(initial)
    this.world = world
    this.commands = programs.map((program, place) => {
      const isHeldByOther = (lock: string): boolean =>
        this.commands.some(({ held }, other) => other !== place && held.has(lock))
      return new RunningCommand(program, world, place, isHeldByOther)
    })
  }

  /** The places of the commands that can take a step. */
  get ready(): ReadonlyArray<number> {
    return this.commands.flatMap(({ step }, place) =>
      step !== undefined && this.holdersOf(step, place).length === 0 ? [place] : []
    )
  }

  step(place: number): Step {
    const step = this.commands[place]?.step
    if (step === undefined) throw new Error(`Command ${letterOf(place)} is over`)
    return step
  }

  take(place: number): void {
    const step = this.step(place)
    this.order.push(place)
    this.trace.push(`${letterOf(place)} ${step.text}`)
    step.take()
  }

  /** The commands that wait for each other, if they do. */
  get deadlock(): string | undefined {
    const waits = this.commands.flatMap(({ step }, place) => {
      if (step === undefined) return []
      const holders = this.holdersOf(step, place).map(letterOf).join(" and ")
      const locks = step.locks.map(([name]) => name).join(" and ")
      return [`${letterOf(place)} waits for ${locks} of ${holders}`]
    })
    return waits.length === 0 ? undefined : `Deadlock: ${waits.join(", ")}`
  }

  /** How the commands have ended, in words. */
  get ends(): string {
    return this.commands
      .map(({ end }, place) => `${letterOf(place)} ${end === undefined ? "waits" : describeEnd(end)}`)
      .join(", ")
  }

  /** What callers and the store show: the same for outcomes that cannot be told apart. */
  outcome(): string {
    const results = this.commands.map(({ end }) =>
      end?.kind === "succeeded" ? { value: end.value } : end === undefined ? null : describeEnd(end)
    )
    const text = JSON.stringify({ results, changes: this.world.changes() })
    // Ids that commands make differ in every run.
    return this.commands
      .flatMap(({ added }, place) =>
        added.map((row, index) => [row.split(" ")[1] as string, `${letterOf(place)}${index}`] as const)
      )
      .reduce((renamed, [id, name]) => renamed.replaceAll(id, name), text)
  }

  private holdersOf({ locks }: Step, place: number): ReadonlyArray<number> {
    return this.commands.flatMap(({ held }, other) =>
      other !== place &&
      locks.some(([name, mode]) => held.has(name) && (mode === "exclusive" || held.get(name) === "exclusive"))
        ? [other]
        : []
    )
  }
}

/** A choice of the command that takes the next step. */
interface Choice {
  /** The commands to try, the current one first. */
  readonly open: Array<number>
  /** The commands whose step leads to interleavings that were tried already. */
  readonly asleep: Set<number>
}

/**
 * Runs programs in every interleaving, in a fixed order of choices. Interleavings that differ only in the order of steps that commute are
 * run once. A command cannot be copied, so each interleaving begins anew.
 */
export function* interleavings(
  initial: StoredState,
  programs: ReadonlyArray<Program>,
  areSwappable = commute
): Generator<Interleaving> {
  const path: Array<Choice> = []
  do {
    const run = new Interleaving(initial, programs)
    let asleep: ReadonlySet<number> = new Set()
    let depth = 0
    for (let { ready } = run; ; { ready } = run) {
      if (ready.length === 0) {
        yield run
        break
      }
      if (depth === path.length) {
        path.push({ open: ready.filter((place) => !asleep.has(place)), asleep: new Set(asleep) })
      }
      const choice = path[depth++] as Choice
      const [place] = choice.open
      if (place === undefined) break
      const step = run.step(place)
      asleep = new Set([...choice.asleep].filter((other) => areSwappable(run.step(other), step)))
      run.take(place)
    }
    while (path.length > 0) {
      const { asleep: tried, open } = path.at(-1) as Choice
      const place = open.shift()
      if (place !== undefined) tried.add(place)
      if (open.length > 0) break
      path.pop()
    }
  } while (path.length > 0)
}

const permutations = (places: ReadonlyArray<number>): ReadonlyArray<ReadonlyArray<number>> =>
  places.length === 0
    ? [[]]
    : places.flatMap((place) => permutations(places.filter((other) => other !== place)).map((rest) => [place, ...rest]))

/** Runs programs one after the other, in every order. */
export const serially = (initial: StoredState, programs: ReadonlyArray<Program>): ReadonlyArray<Interleaving> =>
  permutations(programs.map((_, place) => place)).map((order) => {
    const run = new Interleaving(initial, programs)
    for (const place of order) while (run.commands[place]?.step !== undefined) run.take(place)
    return run
  })

/** Programs that were run at once. */
export interface Explored {
  readonly interleavings: number
  /** The first interleaving that is wrong, of those with the fewest steps. */
  readonly finding: Found | undefined
  /** One interleaving for each outcome that is right. */
  readonly outcomes: ReadonlyMap<string, Interleaving>
}

interface Found {
  readonly run: Interleaving
  readonly problem: string
}

/** How often another command takes over. */
const switches = ({ order }: Interleaving): number =>
  order.filter((place, index) => index > 0 && order[index - 1] !== place).length

const isShorter = (one: Interleaving, { run }: Found): boolean =>
  one.order.length < run.order.length || (one.order.length === run.order.length && switches(one) < switches(run))

const problemOf = (run: Interleaving, serial: ReadonlySet<string>): string | undefined => {
  if (run.deadlock !== undefined) return run.deadlock
  return serial.has(run.outcome()) ? undefined : `No serial order ends so: ${run.ends}`
}

/** Runs programs in every interleaving. Each must end as if those of `correct` had run one after the other, in any order. */
export const exploreTogether = (
  initial: StoredState,
  programs: ReadonlyArray<Program>,
  correct: ReadonlyArray<Program> = programs
): Explored => {
  const outcomes = new Map(serially(initial, correct).map((run) => [run.outcome(), run]))
  const serial = new Set(outcomes.keys())
  let [count, finding]: [number, Found | undefined] = [0, undefined]
  for (const run of interleavings(initial, programs)) {
    count++
    const problem = problemOf(run, serial)
    if (problem !== undefined && (finding === undefined || isShorter(run, finding))) finding = { run, problem }
  }
  return { interleavings: count, finding, outcomes }
}
