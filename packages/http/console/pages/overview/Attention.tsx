import type { Stats } from "../../live/stats.ts"
import { Icon } from "../../ui/Icon.tsx"
import { Empty } from "../../ui/states.tsx"
import { concernsOf } from "./concerns.ts"

const runbook = "https://github.com/petstore-engine/petstore/blob/main/docs/runbook.md"

export const Attention = ({ now }: { now: Stats | undefined }) => {
  const list = now === undefined ? [] : concernsOf(now)
  return (
    <section class="card concerns" aria-label="Needs attention">
      <header>
        <h2>Needs attention</h2>
        {list.length > 0 && <span class="count">{list.length}</span>}
      </header>
      {list.length === 0 ? (
        <Empty icon="check" title={now === undefined ? "Looking…" : "Nothing needs you"}>
          {now === undefined ? undefined : "No delivery, message or consumer is stuck."}
        </Empty>
      ) : (
        <ul class="concern-list">
          {list.map(({ alert, href, text, title, tone }) => (
            <li key={title}>
              <a href={href} class={tone}>
                <i aria-hidden="true" />
                <span>
                  <b>{title}</b>
                  <small>{text}</small>
                </span>
                <Icon name="chevron" size={14} />
              </a>
              <a
                class="help"
                href={`${runbook}#${alert.toLowerCase()}`}
                target="_blank"
                rel="noreferrer"
                aria-label={`What to do: ${title}`}
              >
                What to do
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
