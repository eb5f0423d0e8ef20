import { useSignal } from "@preact/signals"
import { useEffect, useRef } from "preact/hooks"
import { type Family, families } from "../../live/event.ts"
import { counts, knownSince } from "../../live/eventCounts.ts"
import { rates } from "../../live/stats.ts"
import { theme } from "../../theme.ts"
import { clock } from "../../ui/Time.tsx"
import { number } from "../../ui/text.ts"
import { columnsOf, sum } from "./columnsOf.ts"
import { chartHeight, chartLeft, drawChart } from "./drawChart.ts"

const layerNames: Readonly<Record<Family, string>> = {
  order: "Orders",
  inventory: "Stock",
  pet: "Pets",
  message: "Messages",
  webhook: "Webhooks"
}

const Layer = ({ family }: { family: Family }) => (
  <>
    <i class={`event-dot ${family}`} />
    {layerNames[family]}
  </>
)

/** The number of events whose kinds are not known. */
const ofAnyKind = (values: ReadonlyArray<number>): number => values[families.length] ?? 0

/** What the column that is pointed at stands for. */
const Tip = ({ ago, at, values }: { ago: number; at: number; values: ReadonlyArray<number> }) => (
  <div class="plot-tip" style={{ left: at }}>
    <b>{number(ago)} s ago</b>
    {families.map((family, layer) => {
      const value = values[layer] ?? 0
      return value === 0 ? null : (
        <span key={family}>
          <Layer family={family} />
          <em>{value.toFixed(1)}</em>
        </span>
      )
    })}
    {ofAnyKind(values) > 0 && (
      <span>
        All kinds
        <em>{ofAnyKind(values).toFixed(1)}</em>
      </span>
    )}
  </div>
)

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
  const columns = columnsOf(Math.floor(Date.now() / 1000), seconds, {
    counts,
    knownSince: knownSince.value,
    rates: rates.value
  })
  useEffect(() => {
    if (canvas.current !== null) drawChart(canvas.current, { columns, seconds, chosen: chosen.value })
  }, [tick, width.value, theme.value, chosen.value, knownSince.value])
  const column = columns[chosen.value]
  const spoken = families.map((family) => `${layerNames[family]} ${number(sum(counts[family]))}`).join(", ")
  const each = (width.value - chartLeft) / columns.length
  const point = ({ offsetX }: { readonly offsetX: number }): void => {
    chosen.value = Math.min(columns.length - 1, Math.floor((offsetX - chartLeft) / each))
  }
  return (
    <section class="card activity" aria-label="Events per second">
      <header>
        <h2>Events per second</h2>
        <ul class="legend">
          {families.map((family) => (
            <li key={family}>
              <Layer family={family} />
            </li>
          ))}
        </ul>
      </header>
      <div class="plot">
        <canvas
          ref={canvas}
          role="img"
          aria-label={`Events of the last minutes: ${spoken}`}
          style={{ height: chartHeight }}
          onPointerMove={point}
          onPointerLeave={() => (chosen.value = -1)}
        />
        {column?.known === true && (
          <Tip
            ago={(columns.length - chosen.value) * seconds}
            at={Math.min(width.value - 150, Math.max(0, chartLeft + chosen.value * each - 70))}
            values={column.values}
          />
        )}
      </div>
    </section>
  )
}
