import { families } from "../../live/event.ts"
import { number } from "../../ui/text.ts"
import { type ChartColumn, columnCount, sum } from "./columnsOf.ts"

export const chartHeight = 210
export const chartLeft = 30
const above = 8
const below = 22
const plot = chartHeight - above - below

interface Chart {
  readonly context: CanvasRenderingContext2D
  readonly width: number
  readonly columns: ReadonlyArray<ChartColumn>
  readonly seconds: number
  /** The column that is pointed at, or -1. */
  readonly chosen: number
  readonly color: (property: string) => string
  /** The value at the top. */
  readonly high: number
  readonly step: number
  /** The width of a column. */
  readonly each: number
}

/** Reads the colour that a property stands for now, light or dark. */
const colorOf =
  (host: Element) =>
  (property: string): string => {
    const probe = document.createElement("i")
    probe.style.color = `var(${property})`
    host.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }

/** The least of 1, 2, 5, 10, 20 and so on that makes at most four steps. */
const stepOf = (top: number): number => {
  let step = 1
  for (const factor of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) if (top / step > 4) step *= factor
  return step
}

const yOf = (value: number, high: number): number => above + plot - (value / high) * plot

const drawGrid = ({ color, context, high, step, width }: Chart): void => {
  context.fillStyle = color("--muted")
  context.strokeStyle = color("--line")
  context.textAlign = "right"
  for (let value = 0; value <= high; value += step) {
    const at = Math.round(yOf(value, high)) + 0.5
    context.beginPath()
    context.moveTo(chartLeft, at)
    context.lineTo(width, at)
    context.stroke()
    context.fillText(number(value), chartLeft - 8, at)
  }
}

/** What happened before the first reading is shaded instead of drawn as zero. */
const drawUnknown = ({ color, columns, context, each }: Chart): void => {
  const known = columns.findIndex((column) => column.known)
  const hidden = (known === -1 ? columns.length : known) * each
  if (hidden === 0) return
  context.fillStyle = color("--hover")
  context.fillRect(chartLeft, above, hidden, plot)
  context.fillStyle = color("--muted")
  context.textAlign = "center"
  if (hidden > 200) context.fillText("no figures", chartLeft + hidden / 2, above + plot / 2)
}

const drawColumns = ({ chosen, color, columns, context, each, high }: Chart): void => {
  const colors = [...families.map((family) => color(`--f-${family}`)), color("--line-strong")]
  const bar = Math.max(1.5, each - Math.max(1, each * 0.25))
  const radius = Math.min(3, bar / 2)
  const y = (value: number): number => yOf(value, high)
  for (const [at, { known, values }] of columns.entries()) {
    const whole = sum(values)
    if (!known || whole === 0) continue
    const x = chartLeft + at * each + (each - bar) / 2
    context.save()
    context.globalAlpha = chosen === -1 || chosen === at ? 1 : 0.45
    context.beginPath()
    context.roundRect(x, y(whole), bar, y(0) - y(whole), [radius, radius, 0, 0])
    context.clip()
    let under = 0
    for (const [layer, value] of values.entries()) {
      context.fillStyle = colors[layer] ?? ""
      context.fillRect(x, y(under + value), bar, y(under) - y(under + value) + 0.5)
      under += value
    }
    context.restore()
  }
}

const drawTimes = ({ color, context, seconds, width }: Chart): void => {
  const whole = seconds * columnCount
  const y = chartHeight - above
  const parts = seconds === 3 ? 3 : 2
  context.fillStyle = color("--muted")
  context.textAlign = "center"
  for (let part = 1; part < parts; part++) {
    const ago = whole - (whole * part) / parts
    const text = ago < 60 ? `${ago} s ago` : `${ago / 60} min ago`
    context.fillText(text, chartLeft + (width - chartLeft) * (1 - ago / whole), y)
  }
  context.textAlign = "left"
  context.fillText(`${whole / 60} min ago`, chartLeft, y)
  context.textAlign = "right"
  context.fillText("now", width, y)
}

export const drawChart = (
  canvas: HTMLCanvasElement,
  { chosen, columns, seconds }: Pick<Chart, "chosen" | "columns" | "seconds">
): void => {
  const context = canvas.getContext("2d")
  if (context === null) return
  const width = canvas.clientWidth
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(chartHeight * ratio)
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, chartHeight)
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`
  context.textBaseline = "middle"
  const top = Math.max(4, ...columns.map(({ values }) => sum(values)))
  const step = stepOf(top)
  const color = colorOf(canvas.parentElement ?? canvas)
  const each = (width - chartLeft) / columns.length
  const chart: Chart = {
    context,
    width,
    columns,
    seconds,
    chosen,
    color,
    step,
    each,
    high: Math.ceil(top / step) * step
  }
  for (const draw of [drawGrid, drawUnknown, drawColumns, drawTimes]) draw(chart)
}
