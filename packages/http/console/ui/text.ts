const units = [
  [86_400, "d"],
  [3_600, "h"],
  [60, "min"]
] as const

export const duration = (seconds: number): string => {
  const whole = Math.abs(seconds)
  for (const [size, unit] of units) if (whole >= size) return `${Math.floor(whole / size)} ${unit}`
  return `${Math.floor(whole)} s`
}

const whole = new Intl.NumberFormat("en")
export const number = (value: number): string => whole.format(value)
/** A number that may stand for more: the engine stops counting there. */
export const capped = (value: number, cap: number): string => (value >= cap ? `${number(cap)}+` : number(value))
/** A total of the API, such as `10000+`. */
export const totalText = (total: string): string => total.replace(/^\d+/, (digits) => number(Number(digits)))
export const perSecond = (value: number): string =>
  value === 0 ? "0" : value < 10 ? value.toFixed(1) : number(Math.round(value))
