/** The course of a number as a line, for those who see it; the number is beside it. */
export const Spark = ({ tone = "accent", values }: { values: ReadonlyArray<number>; tone?: string }) => {
  if (values.length < 2) return <svg class="spark" aria-hidden="true" />
  const top = Math.max(...values, 1e-9)
  const points = values.map((value, at) => [(at / (values.length - 1)) * 100, 30 - (value / top) * 26] as const)
  const line = points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`).join("")
  return (
    <svg class={`spark ${tone}`} viewBox="0 0 100 32" preserveAspectRatio="none" aria-hidden="true">
      <path class="area" d={`${line}L100 32L0 32Z`} />
      <path class="line" d={line} />
    </svg>
  )
}
