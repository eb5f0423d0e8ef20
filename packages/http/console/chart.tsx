import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { clock, counts, type Family, families, knownSince, windowSeconds } from "./api.ts"
import { theme } from "./theme.ts"
import { number } from "./ui.tsx"

export const layerNames: Readonly<Record<Family, string>> = {
  order: "Orders",
  inventory: "Stock",
  pet: "Pets",
  message: "Messages",
  webhook: "Webhooks"
}

/** The colour that a property stands for now, light or dark. */
const colorOf = (host: Element, property: string): string => {
  const probe = document.createElement("i")
  probe.style.color = `var(${property})`
  host.append(probe)
  const { color } = getComputedStyle(probe)
  probe.remove()
  return color
}

const height = 210
const left = 30
const bottom = 22

/** The least of 1, 2, 5, 10, 20 and so on that makes at most four steps. */
const stepOf = (top: number): number => {
  let step = 1
  for (const factor of [2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2, 2, 2.5, 2]) if (top / step > 4) step *= factor
  return step
}

interface Column {
  readonly known: boolean
  /** Per second, from the bottom up. */
  readonly values: ReadonlyArray<number>
}

const many = 60

/** The counts of the last minutes in 60 columns; the second that has only begun is left out. */
const columnsOf = (seconds: number): ReadonlyArray<Column> => {
  const first = Math.floor(Date.now() / 1000) - windowSeconds + 1
  const found: Array<Column> = []
  for (let at = windowSeconds - 1 - seconds; at >= Math.max(0, windowSeconds - 1 - seconds * many); at -= seconds) {
    const values = families.map((family) => counts[family].slice(at, at + seconds).reduce((a, b) => a + b, 0) / seconds)
    found.push({ values, known: first + at >= knownSince.value })
  }
  return found.reverse()
}

const draw = (canvas: HTMLCanvasElement, columns: ReadonlyArray<Column>, seconds: number, chosen: number): void => {
  const context = canvas.getContext("2d")
  if (context === null) return
  const width = canvas.clientWidth
  const ratio = devicePixelRatio
  if (canvas.width !== Math.round(width * ratio)) {
    canvas.width = Math.round(width * ratio)
    canvas.height = Math.round(height * ratio)
  }
  context.setTransform(ratio, 0, 0, ratio, 0, 0)
  context.clearRect(0, 0, width, height)
  const host = canvas.parentElement ?? canvas
  const [line, muted, ground] = ["--line", "--muted", "--hover"].map((name) => colorOf(host, name)) as [
    string,
    string,
    string
  ]
  const colors = families.map((family) => colorOf(host, `--f-${family}`))
  const top = Math.max(4, ...columns.map(({ values }) => values.reduce((a, b) => a + b, 0)))
  const step = stepOf(top)
  const high = Math.ceil(top / step) * step
  const plot = height - bottom - 8
  const y = (value: number): number => 8 + plot - (value / high) * plot
  context.font = `11px ${getComputedStyle(canvas).fontFamily}`
  context.textBaseline = "middle"
  context.fillStyle = muted
  context.strokeStyle = line
  context.textAlign = "right"
  for (let value = 0; value <= high; value += step) {
    const at = Math.round(y(value)) + 0.5
    context.beginPath()
    context.moveTo(left, at)
    context.lineTo(width, at)
    context.stroke()
    context.fillText(number(value), left - 8, at)
  }
  const each = (width - left) / columns.length
  const bar = Math.max(1.5, each - Math.max(1, each * 0.25))
  const unknown = columns.findIndex(({ known }) => known)
  const hidden = unknown === -1 ? columns.length : unknown
  if (hidden > 0) {
    context.fillStyle = ground
    context.fillRect(left, 8, hidden * each, plot)
    context.fillStyle = muted
    context.textAlign = "center"
    if (hidden * each > 200) context.fillText("before this page was opened", left + (hidden * each) / 2, 8 + plot / 2)
  }
  for (const [at, { known, values }] of columns.entries()) {
    if (!known) continue
    const x = left + at * each + (each - bar) / 2
    const sum = values.reduce((a, b) => a + b, 0)
    if (sum === 0) continue
    context.save()
    context.globalAlpha = chosen === -1 || chosen === at ? 1 : 0.45
    context.beginPath()
    context.roundRect(x, y(sum), bar, y(0) - y(sum), [Math.min(3, bar / 2), Math.min(3, bar / 2), 0, 0])
    context.clip()
    let below = 0
    for (const [layer, value] of values.entries()) {
      context.fillStyle = colors[layer] ?? muted
      context.fillRect(x, y(below + value), bar, y(below) - y(below + value) + 0.5)
      below += value
    }
    context.restore()
  }
  context.fillStyle = muted
  context.textAlign = "center"
  const whole = seconds * many
  for (const part of seconds === 3 ? [1, 2] : [1]) {
    const ago = whole - (whole * part) / (seconds === 3 ? 3 : 2)
    context.fillText(
      ago < 60 ? `${ago} s ago` : `${ago / 60} min ago`,
      left + (width - left) * (1 - ago / whole),
      height - 8
    )
  }
  context.textAlign = "left"
  context.fillText(`${whole / 60} min ago`, left, height - 8)
  context.textAlign = "right"
  context.fillText("now", width, height - 8)
}

/** How many events come, of each kind, as columns on top of each other. */
export const Activity = () => {
  const canvas = useRef<HTMLCanvasElement>(null)
  const width = useSignal(0)
  const chosen = useSignal(-1)
  useEffect(() => {
    if (canvas.current === null) return
    const sized = new ResizeObserver(([entry]) => (width.value = entry?.contentRect.width ?? 0))
    sized.observe(canvas.current)
    return () => sized.disconnect()
  }, [])
  const tick = clock.value
  // A page that was just opened knows little: it begins with a minute, and ends with three.
  const known = tick / 1000 - knownSince.value
  const seconds = known < 75 ? 1 : known < 150 ? 2 : 3
  const columns = columnsOf(seconds)
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, columns, seconds, chosen.value)
  }, [tick, width.value, theme.value, chosen.value, knownSince.value])
  const sums = families.map((family) => counts[family].reduce((a, b) => a + b, 0))
  const column = columns[chosen.value]
  const spoken = families.map((family, at) => `${layerNames[family]} ${number(sums[at] ?? 0)}`).join(", ")
  const each = (width.value - left) / columns.length
  return (
    <section class="card activity" aria-label="Events per second">
      <header>
        <h2>Events per second</h2>
        <ul class="legend">
          {families.map((family) => (
            <li key={family}>
              <i class={`event-dot ${family}`} />
              {layerNames[family]}
            </li>
          ))}
        </ul>
      </header>
      <div class="plot">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Events of the last minutes: ${spoken}`}
          style={{ height }}
          onPointerMove={({ offsetX }) =>
            (chosen.value = Math.min(columns.length - 1, Math.floor((offsetX - left) / each)))
          }
          onPointerLeave={() => (chosen.value = -1)}
        />
        {column?.known === true && (
          <div
            class="plot-tip"
            style={{ left: Math.min(width.value - 150, Math.max(0, left + chosen.value * each - 70)) }}
          >
            <b>{number((columns.length - chosen.value) * seconds)} s ago</b>
            {families.map((family, at) => {
              const value = column.values[at] ?? 0
              return value === 0 ? null : (
                <span key={family}>
                  <i class={`event-dot ${family}`} />
                  {layerNames[family]}
                  <em>{value.toFixed(1)}</em>
                </span>
              )
            })}
          </div>
        )}
      </div>
    </section>
  )
}
