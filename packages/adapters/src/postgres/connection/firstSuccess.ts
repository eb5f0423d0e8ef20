// The timers stay real where a test replaces the global ones.
const { clearTimeout, setTimeout } = globalThis

/** Milliseconds that the preferred attempt has before the others begin. */
const headStartMillis = 500

/** Which attempt succeeded, with its result. */
interface Success<A> {
  readonly index: number
  readonly result: A
}

/**
 * Makes the preferred attempt, and all others together when it fails or is late: a host that hangs, or is out of reach,
 * must not be waited for while another one is there. Returns the first success and discards later ones; fails with all
 * causes when every attempt has failed.
 */
export const firstSuccess = <A>(
  attempts: ReadonlyArray<() => Promise<A>>,
  preferred: number,
  discard: (late: A) => void
): Promise<Success<A>> =>
  new Promise((resolve, reject) => {
    const causes: Array<unknown> = []
    let isOver = false
    const make = (index: number): void => {
      attempts[index]?.().then(
        (result) => {
          if (isOver) return discard(result)
          isOver = true
          clearTimeout(timer)
          resolve({ index, result })
        },
        (cause) => {
          causes.push(cause)
          makeOthers()
          if (causes.length < attempts.length) return
          isOver = true
          reject(new AggregateError(causes))
        }
      )
    }
    let othersBegan = false
    const makeOthers = (): void => {
      if (othersBegan || isOver) return
      othersBegan = true
      clearTimeout(timer)
      for (const index of attempts.keys()) if (index !== preferred) make(index)
    }
    const timer = setTimeout(makeOthers, headStartMillis)
    make(preferred)
  })
