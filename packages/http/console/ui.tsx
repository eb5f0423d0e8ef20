import { type Signal, signal, useSignal } from "@preact/signals"
import type { ComponentChildren, JSX } from "preact"
import { useEffect, useLayoutEffect, useRef } from "preact/hooks"
import { ApiError, clock } from "./api.ts"
import { go } from "./router.ts"

// ---------------------------------------------------------------- icons: strokes on 20 by 20

const paths = {
  overview: "M3 11.5 7 7l3.2 3.4L17 4M3 16.5h14",
  orders: "M4 5.5h12l-1 10.5H5L4 5.500ZM7 8V5a3 3 0 0 1 6 0v3",
  pets: "M3 6.500 10 3l7 3.500v7L10 17l-7-3.500v-7Zm0 0L10 10l7-3.500M10 10v7",
  categories:
    "M3.5 3.500h5.500v5.500H3.500V3.500ZM11 3.500h5.500v5.500H11V3.500ZM3.500 11h5.500v5.500H3.500V11ZM11 11h5.500v5.500H11V11Z",
  events: "M11 2.500 4.500 11.500H10l-1 6 6.500-9H10l1-6Z",
  webhooks: "M8 12H5a3 3 0 1 1 0-6h3m4 0h3a3 3 0 1 1 0 6h-3M7 9h6",
  messages: "M3 5h14v10H3V5Zm0 .5 7 5 7-5",
  consumers: "M3 5.500h9M3 10h6M3 14.500h9m2-6 3 3-3 3m2.800-3H11",
  keys: "M12.500 3a4.500 4.500 0 1 1-1.900 8.600L9 13.200H7.200V15H5.400v1.800H3V14.400l5.400-5.400A4.500 4.500 0 0 1 12.500 3Zm1.300 3.200h.010",
  health: "M2.500 10h3.500l2-5 4 10 2-5h3.500",
  search: "M9 3.500a5.500 5.500 0 1 1 0 11 5.500 5.500 0 0 1 0-11Zm4 9.500 4 4",
  sun: "M10 6.500a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7ZM10 2v1.500M10 16.500V18M2 10h1.500M16.500 10H18M4.300 4.300l1.100 1.100M14.600 14.600l1.100 1.100M4.300 15.700l1.100-1.100M14.600 5.400l1.100-1.100",
  moon: "M16.500 12A7 7 0 0 1 8 3.500a7 7 0 1 0 8.500 8.500Z",
  close: "m5 5 10 10M15 5 5 15",
  chevron: "m7.500 4.500 5.500 5.500-5.500 5.500",
  check: "m4 10.500 4 4 8-9",
  alert: "M10 3 2.500 16.500h15L10 3Zm0 5v4m0 2.300v.010",
  lock: "M5 9h10v8H5V9Zm2 0V6.500a3 3 0 0 1 6 0V9",
  pause: "M7 4.500v11M13 4.500v11",
  play: "m6 4 10 6-10 6V4Z",
  more: "M4 6h12M4 10h12M4 14h12",
  out: "M8 3.500H4v13h4M12 6.500 15.500 10 12 13.500M15.500 10H8",
  eye: "M2 10s3-5.500 8-5.500S18 10 18 10s-3 5.500-8 5.500S2 10 2 10Zm8-2.300a2.300 2.300 0 1 1 0 4.600 2.300 2.300 0 0 1 0-4.600Z",
  copy: "M7 7V3.500h9.500V13H13M3.500 7H13v9.500H3.500V7Z",
  back: "M12.500 4.500 7 10l5.500 5.500"
} as const
export type IconName = keyof typeof paths

export const Icon = ({ name, size = 18 }: { name: IconName; size?: number }) => (
  <svg class="icon" width={size} height={size} viewBox="0 0 20 20" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

// ---------------------------------------------------------------- text

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

const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })

/** How long ago, or how long until. The whole date and time are in its title, and in `datetime` in UTC. */
export const Time = ({ at }: { at: string | undefined }) => {
  if (at === undefined) return <span class="muted">–</span>
  const seconds = (clock.value - Date.parse(at)) / 1000
  const text = Math.abs(seconds) < 2 ? "now" : seconds > 0 ? `${duration(seconds)} ago` : `in ${duration(seconds)}`
  return (
    <time dateTime={at} title={absolute.format(new Date(at))}>
      {text}
    </time>
  )
}

const whole = new Intl.NumberFormat("en")
export const number = (value: number): string => whole.format(value)
/** A number that may stand for more: the engine stops counting there. */
export const capped = (value: number, cap: number): string => (value >= cap ? `${number(cap)}+` : number(value))
export const perSecond = (value: number): string =>
  value === 0 ? "0" : value < 10 ? value.toFixed(1) : number(Math.round(value))

export type Tone = "ok" | "wait" | "bad" | "info" | "idle"

export const Badge = ({ children, tone }: { children: ComponentChildren; tone: Tone }) => (
  <span class={`badge ${tone}`}>
    <i aria-hidden="true" />
    {children}
  </span>
)

// ---------------------------------------------------------------- buttons

interface ButtonProps {
  readonly children: ComponentChildren
  readonly onClick?: () => unknown
  readonly kind?: "primary" | "danger" | "plain" | "quiet"
  /** Why it cannot be used now; shown to everyone, also to those who cannot hover. */
  readonly blocked?: string | undefined
  readonly label?: string
  readonly type?: "button" | "submit"
  readonly pressed?: boolean
  readonly busy?: boolean
}

/** While what it began goes on, it cannot be used again: a double click counts once. */
export const Button = ({
  blocked,
  busy,
  children,
  kind = "plain",
  label,
  onClick,
  pressed,
  type = "button"
}: ButtonProps) => {
  const going = useSignal(false)
  const isBusy = busy === true || going.value
  return (
    <button
      type={type}
      class={`button ${kind}`}
      aria-disabled={blocked !== undefined || isBusy}
      aria-label={label}
      aria-pressed={pressed}
      title={blocked ?? label}
      onClick={(event) => {
        if (blocked !== undefined || busy === true || going.peek()) {
          event.preventDefault()
          if (blocked !== undefined) toast(blocked, { tone: "wait" })
          return
        }
        const begun = onClick?.()
        if (!(begun instanceof Promise)) return
        going.value = true
        begun
          .catch((error: unknown) => toast(messageOf(error), { tone: "bad" }))
          .finally(() => {
            going.value = false
          })
      }}
    >
      {children}
    </button>
  )
}

export const Copy = ({ text }: { text: string }) => {
  const done = useSignal(false)
  // There is no clipboard in a page by http from another machine.
  if (!isSecureContext) return null
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text)
    done.value = true
    setTimeout(() => {
      done.value = false
    }, 1500)
  }
  return (
    <Button kind="quiet" label={done.value ? "Copied" : "Copy"} onClick={copy}>
      <Icon name={done.value ? "check" : "copy"} size={15} />
    </Button>
  )
}

// ---------------------------------------------------------------- messages that come and go

interface Toast {
  readonly id: number
  readonly text: string
  readonly tone: Tone
  readonly undo?: () => unknown
}
const toasts = signal<ReadonlyArray<Toast>>([])
let lastToast = 0

export const toast = (text: string, { tone = "ok", undo }: { tone?: Tone; undo?: () => unknown } = {}): void => {
  const id = ++lastToast
  toasts.value = [...toasts.value.slice(-2), { id, text, tone, ...(undo === undefined ? {} : { undo }) }]
  setTimeout(() => dismiss(id), undo === undefined && tone === "ok" ? 4000 : 9000)
}
const dismiss = (id: number): void => {
  toasts.value = toasts.value.filter((one) => one.id !== id)
}

export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {toasts.value.map(({ id, text, tone, undo }) => (
      <div class={`toast ${tone}`} key={id}>
        <Icon name={tone === "ok" ? "check" : "alert"} size={16} />
        <span>{text}</span>
        {undo !== undefined && (
          <Button
            kind="quiet"
            onClick={() => {
              dismiss(id)
              undo()
            }}
          >
            Undo
          </Button>
        )}
        <Button kind="quiet" label="Close" onClick={() => dismiss(id)}>
          <Icon name="close" size={14} />
        </Button>
      </div>
    ))}
  </div>
)

const sentences: Readonly<Record<string, string>> = {
  precondition_failed: "Somebody else changed this meanwhile. It is shown as it is now: decide again."
}
export const messageOf = (error: unknown): string =>
  error instanceof ApiError
    ? (sentences[error.code] ?? error.message)
    : error instanceof Error
      ? error.message
      : String(error)

/** Does something, and says what became of it. */
export const act = async (
  done: string,
  action: () => Promise<unknown>,
  after: { undo?: () => unknown; always?: () => unknown } = {}
): Promise<boolean> => {
  try {
    await action()
    toast(done, after.undo === undefined ? {} : { undo: after.undo })
    return true
  } catch (error) {
    toast(messageOf(error), { tone: "bad" })
    return false
  } finally {
    after.always?.()
  }
}

/** Does the same for each of a page of rows, four at a time, after one question, and says how many it worked for. */
export const actOnAll = async <A,>(
  rows: ReadonlyArray<A>,
  asked: { title: string; text: string; yes: string },
  done: (count: number) => string,
  action: (row: A) => Promise<unknown>
): Promise<void> => {
  if (!(await confirm(asked))) return
  const queue = [...rows]
  let count = 0
  let failure: unknown
  const work = async (): Promise<void> => {
    for (let row = queue.shift(); row !== undefined && failure === undefined; row = queue.shift()) {
      try {
        await action(row)
        count++
      } catch (error) {
        failure = error
      }
    }
  }
  await Promise.all([work(), work(), work(), work()])
  if (count > 0) toast(done(count))
  if (failure !== undefined) toast(messageOf(failure), { tone: "bad" })
}

// ---------------------------------------------------------------- questions

interface Question {
  readonly title: string
  readonly text: ComponentChildren
  readonly yes: string
  readonly danger?: boolean
  readonly answer: (yes: boolean) => void
}
const question = signal<Question | undefined>(undefined)

export const confirm = (asked: Omit<Question, "answer">): Promise<boolean> =>
  new Promise((resolve) => {
    question.value = {
      ...asked,
      answer: (yes) => {
        question.value = undefined
        resolve(yes)
      }
    }
  })

export const Dialog = ({
  children,
  onClose,
  title
}: {
  children: ComponentChildren
  onClose: () => void
  title: string
}) => {
  const ref = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => ref.current?.showModal(), [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape does the same.
    <dialog
      ref={ref}
      class="dialog"
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => event.target === ref.current && onClose()}
    >
      <div class="dialog-body">
        <h2>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}

export const Questions = () => {
  const asked = question.value
  if (asked === undefined) return null
  return (
    <Dialog title={asked.title} onClose={() => asked.answer(false)}>
      <p>{asked.text}</p>
      <div class="dialog-actions">
        <Button onClick={() => asked.answer(false)}>Keep it as it is</Button>
        <Button kind={asked.danger === true ? "danger" : "primary"} onClick={() => asked.answer(true)}>
          {asked.yes}
        </Button>
      </div>
    </Dialog>
  )
}

// ---------------------------------------------------------------- states of a list

export const Empty = ({ children, icon, title }: { children?: ComponentChildren; icon: IconName; title: string }) => (
  <div class="empty">
    <span class="empty-icon">
      <Icon name={icon} size={24} />
    </span>
    <b>{title}</b>
    {children !== undefined && <p>{children}</p>}
  </div>
)

export const NoScope = ({ scope }: { scope: string }) => (
  <Empty icon="lock" title="Your key does not show this">
    It needs the scope <code>{scope}</code>. An admin can create a key that has it, on the page Keys.
  </Empty>
)

/** A page of which the key shows nothing. */
export const NoScopePage = ({ scope, title }: { scope: string; title: string }) => (
  <>
    <header class="page-head">
      <h1>{title}</h1>
    </header>
    <NoScope scope={scope} />
  </>
)

export const Failed = ({ error, retry }: { error: unknown; retry: () => unknown }) => (
  <div class="empty" role="alert">
    <span class="empty-icon bad">
      <Icon name="alert" size={24} />
    </span>
    <b>This could not be loaded</b>
    <p>{messageOf(error)}</p>
    <Button onClick={retry}>Try again</Button>
  </div>
)

// ---------------------------------------------------------------- tables

export interface Column<A> {
  readonly name: string
  readonly cell: (row: A) => ComponentChildren
  readonly end?: boolean
  /** Left out where there is little room. */
  readonly wide?: boolean
  readonly grow?: boolean
}

interface TableProps<A> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A> | undefined
  readonly keyOf: (row: A) => string | number
  readonly open?: string | undefined
  readonly linkOf?: (row: A) => string
  readonly fresh?: ReadonlySet<string | number>
}

/** A row opens with a click, or with j and k and Enter. */
export const Table = <A,>({ columns, fresh, keyOf, label, linkOf, open, rows }: TableProps<A>) => {
  if (rows === undefined) {
    return (
      <div class="skeletons" role="status" aria-busy="true" aria-label="Loading">
        {Array.from({ length: 8 }, (_, index) => (
          <div class="skeleton" key={index} />
        ))}
      </div>
    )
  }
  return (
    <section
      class="table-scroll"
      aria-label={label}
      // A table without links is scrolled by keys, too.
      tabIndex={linkOf === undefined ? 0 : undefined}
    >
      <table>
        <thead>
          <tr>
            {columns.map(({ end, grow, name, wide }) => (
              <th
                key={name}
                scope="col"
                class={`${end === true ? "end" : ""} ${wide === true ? "wide" : ""} ${grow === true ? "grow" : ""}`}
              >
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row)
            const link = linkOf?.(row)
            const isOpen = open !== undefined && String(key) === open
            return (
              <tr
                key={key}
                class={`${link === undefined ? "" : "opens"} ${isOpen ? "open" : ""} ${fresh?.has(key) === true ? "fresh" : ""}`}
                aria-current={isOpen ? "true" : undefined}
                onClick={(event) => {
                  if (link === undefined || (event.target as Element).closest("a,button,input,select") !== null) return
                  if (getSelection()?.type !== "Range") go(link)
                }}
              >
                {columns.map(({ cell, end, name, wide }, index) => (
                  <td key={name} class={`${end === true ? "end" : ""} ${wide === true ? "wide" : ""}`}>
                    {index === 0 && link !== undefined ? (
                      <a class="row-link" href={link}>
                        {cell(row)}
                      </a>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            )
          })}
        </tbody>
      </table>
    </section>
  )
}

/** What shows the next page of a list, if there is one. */
export const More = ({
  list
}: {
  list: { readonly more: Signal<(() => void) | undefined>; readonly loading: Signal<boolean> }
}) =>
  list.more.value === undefined ? null : (
    <div class="more">
      <Button busy={list.loading.value} onClick={list.more.value}>
        Load more
      </Button>
    </div>
  )

// ---------------------------------------------------------------- filters

export const Tabs = ({
  label,
  options,
  value
}: {
  label: string
  value: string
  options: ReadonlyArray<{
    readonly value: string
    readonly name: string
    readonly link: string
    readonly count?: string | undefined
  }>
}) => (
  <nav class="tabs" aria-label={label}>
    {options.map((option) => (
      <a key={option.value} href={option.link} aria-current={option.value === value ? "true" : undefined}>
        {option.name}
        {option.count !== undefined && <span class="count">{option.count}</span>}
      </a>
    ))}
  </nav>
)

export const Search = ({
  label,
  onInput,
  placeholder,
  value
}: {
  label: string
  onInput: (value: string) => void
  placeholder: string
  value: string
}) => {
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  return (
    <label class="search">
      <Icon name="search" size={16} />
      <input
        type="search"
        class="page-search"
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onInput={(event) => {
          const { value } = event.currentTarget
          clearTimeout(timer.current)
          timer.current = setTimeout(() => onInput(value), 250)
        }}
      />
      <kbd>/</kbd>
    </label>
  )
}

// ---------------------------------------------------------------- the detail beside a list

export const Drawer = ({
  actions,
  children,
  close,
  kicker,
  title
}: {
  title: ComponentChildren
  kicker: string
  close: string
  children: ComponentChildren
  actions?: ComponentChildren
}) => {
  const ref = useRef<HTMLElement>(null)
  useEffect(() => {
    const before = document.activeElement
    ref.current?.focus({ preventScroll: true })
    return () => before instanceof HTMLElement && before.isConnected && before.focus({ preventScroll: true })
  }, [])
  return (
    <>
      <button type="button" class="drawer-shade" aria-label="Close" tabIndex={-1} onClick={() => go(close)} />
      <aside ref={ref} class="drawer" tabIndex={-1} aria-label={kicker}>
        <header>
          <div>
            <span class="kicker">{kicker}</span>
            <h2>{title}</h2>
          </div>
          <a class="button quiet drawer-close" href={close} aria-label="Close">
            <Icon name="close" />
          </a>
        </header>
        <div class="drawer-body">{children}</div>
        {actions !== undefined && <footer>{actions}</footer>}
      </aside>
    </>
  )
}

export const Facts = ({
  of,
  two
}: {
  of: ReadonlyArray<readonly [name: string, value: ComponentChildren]>
  two?: boolean
}) => (
  <dl class={two === true ? "facts two" : "facts"}>
    {of.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd>{value ?? <span class="muted">–</span>}</dd>
      </div>
    ))}
  </dl>
)

export const Section = ({
  children,
  extra,
  title
}: {
  title: string
  children: ComponentChildren
  extra?: ComponentChildren
}) => (
  <section class="section">
    <h3>
      {title}
      {extra}
    </h3>
    {children}
  </section>
)

/** JSON in colours. Everything is text: what a customer wrote can never become markup. */
export const Json = ({ value }: { value: unknown }) => {
  const text = JSON.stringify(value, null, 2) ?? ""
  const parts: Array<JSX.Element | string> = []
  let last = 0
  for (const found of text.matchAll(
    /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g
  )) {
    parts.push(text.slice(last, found.index))
    const kind = found[2] !== undefined ? "j-key" : found[1] !== undefined ? "j-text" : "j-word"
    const token = found[1] ?? found[0]
    parts.push(
      <span class={kind} key={found.index}>
        {token}
      </span>
    )
    last = found.index + token.length
  }
  parts.push(text.slice(last))
  return (
    <div class="json">
      <Copy text={text} />
      <pre>{parts}</pre>
    </div>
  )
}

// ---------------------------------------------------------------- small plots

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

export const Meter = ({ of, part, tone }: { part: number; of: number; tone: Tone }) => (
  <span class="meter" aria-hidden="true">
    <span class={tone} style={{ width: `${of <= 0 ? 0 : Math.min(100, (part / of) * 100)}%` }} />
  </span>
)
