type Mode = "shared" | "exclusive"

interface Request<Owner> {
  readonly owner: Owner
  readonly mode: Mode
  readonly granted: () => void
}

/** Who holds the lock of one row, and who waits for it, in this order. */
interface Lock<Owner> {
  readonly holders: Map<Owner, Mode>
  readonly waiting: Array<Request<Owner>>
}

/** The locks of rows, by their names. A lock is held until its transaction ends. */
export class RowLocks<Owner> {
  private readonly locks = new Map<string, Lock<Owner>>()

  /** Takes a lock if nobody else keeps it from that. Returns whether it did. */
  take(owner: Owner, name: string, mode: Mode): boolean {
    const lock: Lock<Owner> = this.locks.get(name) ?? { holders: new Map(), waiting: [] }
    const held = lock.holders.get(owner)
    if (held === "exclusive" || held === mode) return true
    if (lock.waiting.length > 0 || !isFree(lock, owner, mode)) return false
    this.locks.set(name, lock)
    lock.holders.set(owner, mode)
    return true
  }

  /** Waits for a lock that could not be taken. */
  wait(owner: Owner, name: string, mode: Mode, granted: () => void): void {
    this.locks.get(name)?.waiting.push({ owner, mode, granted })
  }

  /** The owners that wait for each other in a circle, one of which is this one; empty if there is none. */
  circleOf(start: Owner): ReadonlyArray<Owner> {
    const path: Array<Owner> = []
    const visit = (owner: Owner): boolean => {
      if (path.includes(owner)) return owner === start
      path.push(owner)
      for (const { holders, waiting } of this.locks.values()) {
        const place = waiting.findIndex((one) => one.owner === owner)
        if (place < 0) continue
        const before = [...holders.keys(), ...waiting.slice(0, place).map((one) => one.owner)]
        if (before.some((other) => other !== owner && visit(other))) return true
      }
      path.pop()
      return false
    }
    return visit(start) ? path : []
  }

  /** Whether another one holds the lock. */
  isHeldByOther(owner: Owner, name: string): boolean {
    return [...(this.locks.get(name)?.holders.keys() ?? [])].some((holder) => holder !== owner)
  }

  /** How many locks are held. */
  get count(): number {
    return this.locks.size
  }

  /** Releases every lock of an owner, and ends its wait. */
  release(owner: Owner): void {
    for (const [name, lock] of this.locks) {
      const place = lock.waiting.findIndex((one) => one.owner === owner)
      if (place >= 0) lock.waiting.splice(place, 1)
      lock.holders.delete(owner)
      if (lock.holders.size + lock.waiting.length === 0) this.locks.delete(name)
      else this.grant(lock)
    }
  }

  private grant(lock: Lock<Owner>): void {
    for (let next = lock.waiting[0]; next !== undefined; next = lock.waiting[0]) {
      const { granted, mode, owner } = next
      if (!isFree(lock, owner, mode)) return
      lock.waiting.shift()
      lock.holders.set(owner, mode)
      granted()
    }
  }
}

const isFree = <Owner>({ holders }: Lock<Owner>, owner: Owner, mode: Mode): boolean =>
  [...holders].every(([holder, held]) => holder === owner || (mode === "shared" && held === "shared"))
