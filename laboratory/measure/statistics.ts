/** The value below which a part of the values lies. */
export const quantile = (values: ReadonlyArray<number>, part: number): number => {
  const sorted = values.toSorted((a, b) => a - b)
  const place = (sorted.length - 1) * part
  const [low = Number.NaN, high = low] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
  return low + (high - low) * (place - Math.floor(place))
}

export interface Spread {
  readonly median: number
  readonly low: number
  readonly high: number
}

/** The median and the quartiles. */
export const spreadOf = (values: ReadonlyArray<number>): Spread => ({
  median: quantile(values, 0.5),
  low: quantile(values, 0.25),
  high: quantile(values, 0.75)
})
