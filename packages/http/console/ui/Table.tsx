import type { ComponentChildren } from "preact"
import { go } from "../router.ts"

export interface Column<A> {
  readonly name: string
  readonly cell: (row: A) => ComponentChildren
  readonly end?: boolean
  /** Left out where there is little room. */
  readonly wide?: boolean
  readonly grow?: boolean
}

export interface TableProps<A> {
  readonly label: string
  readonly columns: ReadonlyArray<Column<A>>
  readonly rows: ReadonlyArray<A> | undefined
  readonly keyOf: (row: A) => string | number
  readonly open?: string | undefined
  readonly linkOf?: (row: A) => string
  readonly fresh?: ReadonlySet<string | number>
}

const classes = (...names: ReadonlyArray<string | false | undefined>): string => names.filter(Boolean).join(" ")

const Skeletons = () => (
  <div class="skeletons" role="status" aria-busy="true" aria-label="Loading">
    {Array.from({ length: 8 }, (_, index) => (
      <div class="skeleton" key={index} />
    ))}
  </div>
)

interface RowProps<A> extends Pick<TableProps<A>, "columns"> {
  readonly row: A
  readonly link: string | undefined
  readonly isOpen: boolean
  readonly isFresh: boolean
}

const Row = <A,>({ columns, isFresh, isOpen, link, row }: RowProps<A>) => {
  const open = (event: Event): void => {
    if (link === undefined || (event.target as Element).closest("a,button,input,select") !== null) return
    if (getSelection()?.type !== "Range") go(link)
  }
  return (
    <tr
      class={classes(link !== undefined && "opens", isOpen && "open", isFresh && "fresh")}
      aria-current={isOpen ? "true" : undefined}
      onClick={open}
    >
      {columns.map(({ cell, end, name, wide }, index) => (
        <td key={name} class={classes(end && "end", wide && "wide")}>
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
}

/** A row opens with a click, or with j and k and Enter. */
export const Table = <A,>({ columns, fresh, keyOf, label, linkOf, open, rows }: TableProps<A>) => {
  if (rows === undefined) return <Skeletons />
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
              <th key={name} scope="col" class={classes(end && "end", wide && "wide", grow && "grow")}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = keyOf(row)
            return (
              <Row
                key={key}
                row={row}
                columns={columns}
                link={linkOf?.(row)}
                isOpen={String(key) === open}
                isFresh={fresh?.has(key) === true}
              />
            )
          })}
        </tbody>
      </table>
    </section>
  )
}
