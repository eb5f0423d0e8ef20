import { memory, type Petstore, type PetstoreOptions, type StorageAdapter } from "@petstore/core"
import { type Hasher, type RunCommand, Storage } from "@petstore/core/ports"
import { verifyStore } from "@petstore/core/runtime"
import { type Store, testPetstore } from "@petstore/testing"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { seededHasher } from "../../packages/core/testing/src/seededHasher.ts"
import { type Explored, exploreTogether, type Interleaving, letterOf } from "./Interleaving.ts"
import type { Program } from "./RunningCommand.ts"
import { readState, type StoredState } from "./World.ts"

/** The programs of the calls of a petstore, which are noted instead of run. */
class Programs {
  private store: Store | undefined
  private noted: Array<Omit<Program, "name">> | undefined
  private readonly seeded = seededHasher(1)
  /** A program that runs again has the secrets that it had before: they are no difference between two outcomes. */
  private readonly hasher: Hasher["Service"] = {
    ...this.seeded,
    randomBytes: (length) => (this.isExplored ? new Uint8Array(length) : this.seeded.randomBytes(length))
  }
  private isExplored = false

  /** The same adapter, whose commands can be noted. */
  on(adapter: StorageAdapter): StorageAdapter {
    const layer = Layer.effect(
      Storage,
      Effect.gen({ self: this }, function* () {
        const store = Context.get(yield* Layer.build(adapter.layer), Storage)
        this.store = store
        const run: RunCommand = (begin, command) => {
          if (this.noted === undefined) return (store.run as RunCommand)(begin, command)
          const { noted } = this
          return Effect.withFiber(({ context }) => {
            noted.push({ begin: (transaction) => begin(transaction, context), command })
            return Effect.interrupt
          })
        }
        return { ...store, run }
      })
    )
    return { ...adapter, layer, hasher: this.hasher }
  }

  get opened(): Store {
    if (this.store === undefined) throw new Error("The petstore is not open")
    return this.store
  }

  /** The program of a call. */
  async of(name: string, call: () => Promise<unknown>): Promise<Program> {
    this.noted = []
    this.isExplored = true
    const failure = await call().then(
      () => undefined,
      (error: unknown) => ({ error })
    )
    const [program, ...others] = this.noted
    this.noted = undefined
    if (program !== undefined && others.length === 0) return { name, ...program }
    if (program === undefined && failure !== undefined) throw failure.error
    throw new TypeError(
      `The command ${JSON.stringify(name)} of explore must make one call that changes something, not ${program === undefined ? "none" : "several"}`
    )
  }
}

/** What {@link explore} runs. */
export interface ExploreOptions extends Pick<PetstoreOptions, "rules"> {
  /** Creates what the commands find. */
  readonly given?: (petstore: Petstore) => Promise<unknown>
  /** By their names: each makes one call that changes something. */
  readonly commands: Readonly<Record<string, (petstore: Petstore) => Promise<unknown>>>
  /** How many commands run at once; 2 by default. The time grows fast with the number. */
  readonly atOnce?: number
}

/** What {@link explore} has found. */
export interface Exploration {
  /** How many groups of commands were run. */
  readonly combinations: number
  /** In how many interleavings, without those that only swap steps that cannot affect each other. */
  readonly interleavings: number
  readonly findings: ReadonlyArray<RaceFinding>
}

/** Commands that end wrongly if they run at once. */
export interface RaceFinding {
  /** Their names, in the order of the letters in the trace. */
  readonly commands: ReadonlyArray<string>
  readonly problem: string
  /** The steps of the shortest interleaving that ends so, such as `A locks pets 1`. */
  readonly trace: ReadonlyArray<string>
}

/** Programs that are ready to be explored, and the state that they find. */
export const prepare = async ({ commands, given, rules }: Omit<ExploreOptions, "atOnce">) => {
  const programs = new Programs()
  await using petstore = await testPetstore({ storage: programs.on(memory()), rules })
  await given?.(petstore)
  const initial = await Effect.runPromise(readState(programs.opened, Date.parse(petstore.clock.now)))
  const noted: Array<Program> = []
  for (const [name, command] of Object.entries(commands)) noted.push(await programs.of(name, () => command(petstore)))
  return { initial, programs: noted }
}

/** All groups of a number of items; an item may be in a group more than once. */
export const groupsOf = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  size === 0
    ? [[]]
    : items.flatMap((item, place) => groupsOf(items.slice(place), size - 1).map((rest) => [item, ...rest]))

const limits = { ids: 8_192, facts: 50_000 }

/** The first rule of `verify` that the outcome of an interleaving breaks. */
const brokenRule = ({ world }: Interleaving): Promise<string | undefined> =>
  Effect.gen(function* () {
    const store = yield* Storage
    yield* world.restoreTo(store)
    const checks = yield* verifyStore({ ...store, clockOffset: () => world.initial.now - Date.now() }, limits)
    return checks.find(({ violations }) => violations > 0)?.rule
  }).pipe(Effect.provide(memory().layer), Effect.runPromise)

const findingOf = async (
  programs: ReadonlyArray<Program>,
  run: Interleaving,
  problem: string
): Promise<RaceFinding> => {
  const rule = run.deadlock === undefined ? await brokenRule(run) : undefined
  return {
    commands: programs.map(({ name }, place) => `${letterOf(place)}: ${name}`),
    problem: rule === undefined ? problem : `${problem}. It breaks the rule: ${rule}`,
    trace: run.trace
  }
}

/** Finds outcomes that break a rule, each of which is checked once. */
class Verifier {
  private readonly verified = new Set<string>()

  async brokenBy({ outcomes }: Explored): Promise<Interleaving | undefined> {
    for (const run of outcomes.values()) {
      const changes = JSON.stringify(run.world.changes())
      if (this.verified.has(changes)) continue
      this.verified.add(changes)
      if ((await brokenRule(run)) !== undefined) return run
    }
    return undefined
  }
}

/** Runs every group of programs in every interleaving. */
export const exploreGroups = async (
  initial: StoredState,
  programs: ReadonlyArray<Program>,
  size: number
): Promise<Exploration> => {
  const verifier = new Verifier()
  const findings: Array<RaceFinding> = []
  const verify = async (group: ReadonlyArray<Program>, explored: Explored): Promise<void> => {
    const broken = await verifier.brokenBy(explored)
    if (broken !== undefined) findings.push(await findingOf(group, broken, `One after the other: ${broken.ends}`))
  }
  for (const program of programs) {
    const alone = exploreTogether(initial, [program])
    for (const run of alone.outcomes.values()) {
      if (run.commands.some(({ end }) => end?.kind === "died")) findings.push(await findingOf([program], run, run.ends))
    }
    await verify([program], alone)
  }
  const groups = groupsOf(programs, size)
  let interleavings = 0
  for (const group of groups) {
    const explored = exploreTogether(initial, group)
    interleavings += explored.interleavings
    const { finding } = explored
    if (finding !== undefined) findings.push(await findingOf(group, finding.run, finding.problem))
    // Commands that have one interleaving share nothing, and end as they do alone.
    else if (explored.interleavings > 1) await verify(group, explored)
  }
  return { combinations: groups.length, interleavings, findings }
}

/**
 * Runs all pairs of commands, or larger groups, in every interleaving that a store with row locks allows under READ COMMITTED. Each must
 * end as if the commands had run one after the other, and keep every rule of `verify`; a deadlock is a finding, too. Finds races without
 * threads, time and luck, in your rules and in what your commands expect of each other. The same call has the same result.
 */
export const explore = async ({ atOnce = 2, ...options }: ExploreOptions): Promise<Exploration> => {
  const { initial, programs } = await prepare(options)
  return exploreGroups(initial, programs, atOnce)
}
