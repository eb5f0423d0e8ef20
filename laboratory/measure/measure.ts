import { type Comparison, type Context, figures, type Row, type Running, rowsOf, type Sample } from "./Comparison.ts"
import { type Spread, spreadOf } from "./statistics.ts"
import { takeTurns } from "./turns.ts"

/** A row with what was measured. */
export interface Measured extends Row {
  readonly ours: number
  /** How many times as good as the peer ours is, in each round; undefined without a peer. */
  readonly ratio: Spread | undefined
  readonly rounds: number
  /** In how many rounds the hypervisor took time from a contender. */
  readonly disturbed: number
}

const measuredOf = (row: Row, results: ReadonlyArray<ReadonlyArray<Sample>>, disturbed: number): Measured => {
  const valuesOf = (side: number): ReadonlyArray<number> =>
    (results[side] ?? []).map((sample) => sample[row.figure] ?? Number.NaN)
  const [ours, theirs] = [valuesOf(0), valuesOf(row.side)]
  // The ratio of each round, so that what slows down a whole round affects neither side.
  const ratios = ours.map((value, round) => {
    const ratio = value / (theirs[round] ?? Number.NaN)
    return figures[row.figure].moreIsBetter ? ratio : 1 / ratio
  })
  const ratio = row.side === 0 ? undefined : spreadOf(ratios)
  const measured = { ...row, ours: spreadOf(ours).median, ratio, rounds: ours.length, disturbed }
  if (!Number.isFinite(measured.ours) || !Number.isFinite(ratio?.median ?? 1))
    throw new Error(`${row.title} has no value: a turn was too short for this machine`)
  return measured
}

/** Milliseconds after which a comparison has failed, so that one that hangs does not end the others. */
const longest = 180_000

/** Opens the contenders of a comparison, lets them take turns, and closes them. */
export const measureComparison = async (comparison: Comparison, context: Context): Promise<ReadonlyArray<Measured>> => {
  const limit = Promise.withResolvers<never>()
  const timer = setTimeout(() => limit.reject(new Error(`it took longer than ${longest / 1_000} s`)), longest)
  const running: Array<Running> = []
  try {
    return await Promise.race([limit.promise, takeAllTurns(comparison, context, running)])
  } finally {
    clearTimeout(timer)
    await Promise.allSettled(running.map(({ close }) => close()))
  }
}

const takeAllTurns = async (
  comparison: Comparison,
  context: Context,
  running: Array<Running>
): Promise<ReadonlyArray<Measured>> => {
  const { rounds = 5, seconds = 0.4, sides, warmUp = 1.5 } = comparison
  const { isQuick } = context
  for (const { open } of sides) running.push(await open(context))
  await comparison.check?.(running, context)
  for (const { turn, warmUp: warm = turn } of running) if (warmUp > 0) await warm(isQuick ? 0.2 : warmUp)
  const { disturbed, results } = await takeTurns(
    isQuick ? Math.min(2, rounds) : rounds,
    running.map(
      ({ turn }) =>
        () =>
          turn(isQuick ? Math.min(0.2, seconds) : seconds)
    )
  )
  return rowsOf(comparison).map((row) => measuredOf(row, results, disturbed))
}
