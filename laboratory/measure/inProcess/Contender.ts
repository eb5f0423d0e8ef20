/** What contenders are given. */
export interface Place {
  /** A folder of their own, or of all contenders of the comparison. */
  readonly folder: string
  /** A new PostgreSQL database; "" of contenders that use none. */
  readonly url: string
}

/** Works in a process of its own. */
export interface Contender {
  /** Works until a time of `performance.now()`, waits for all that this has led to, and returns how many units were done. */
  readonly work: (end: number) => Promise<number>
  /** What it has written, to be compared with what others write. */
  readonly written?: () => Promise<unknown>
}

export type Contenders = Readonly<Record<string, (place: Place) => Promise<Contender>>>

/** So many callers, each of which makes one call after the other until a time. Returns how many calls were made. */
export const callUntil = async (
  end: number,
  callers: number,
  call: (n: number) => Promise<unknown>
): Promise<number> => {
  let calls = 0
  const caller = async (): Promise<void> => {
    while (performance.now() < end) await call(calls++)
  }
  await Promise.all(Array.from({ length: callers }, caller))
  return calls
}
