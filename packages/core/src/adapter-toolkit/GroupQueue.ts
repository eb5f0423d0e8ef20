/** A command that waits for a group, whose commands share a commit. */
export interface GroupMember {
  /** When it began to wait, if it is background work. Absent for a caller's. */
  readonly backgroundSince?: number | undefined
}

/** Milliseconds for which background work waits while callers do. */
const longestWaitMillis = 5

/** The commands that wait for the next group. Those of callers come first. Times are of a clock that is never set. */
export class GroupQueue<Member extends GroupMember> {
  private callers: Array<Member> = []
  private background: Array<Member> = []
  /** How many commands wait. */
  length = 0

  /** How many commands can be in the next group, unless background work has waited for long. */
  get ready(): number {
    return this.callers.length || this.background.length
  }

  add(member: Member): void {
    const places = member.backgroundSince === undefined ? this.callers : this.background
    this.length = places.push(member) + (places === this.callers ? this.background : this.callers).length
  }

  /** Puts members back that were taken, in front of all others. */
  putBack(members: ReadonlyArray<Member>): void {
    if (members.length > 0) this.keep([...members, ...this.callers, ...this.background])
  }

  /**
   * Takes the members of a group, at most `most`: its part of those that wait, if this number of `groups` can begin now. If more wait than
   * it takes, it has half of each kind. They alternate, since it may end before all have run.
   */
  take(most: number, now: number, groups = 1): Array<Member> {
    const ready = this.background.length === 0 ? this.background : this.dueAt(now)
    const places = Math.max(Math.ceil(most / 2), most - this.callers.length)
    const due = ready.slice(0, Math.min(Math.ceil(ready.length / groups), places))
    const taken = this.callers.splice(0, Math.min(Math.ceil(this.callers.length / groups), most - due.length))
    this.length -= due.length + taken.length
    if (due.length === 0) return taken
    this.background = this.background.filter((member) => !due.includes(member))
    const all: Array<Member> = []
    for (let place = 0; place < Math.max(due.length, taken.length); place++) {
      all.push(...taken.slice(place, place + 1), ...due.slice(place, place + 1))
    }
    return all
  }

  private dueAt(now: number): ReadonlyArray<Member> {
    if (this.callers.length === 0) return this.background
    return this.background.filter(({ backgroundSince = now }) => now - backgroundSince >= longestWaitMillis)
  }

  /** Removes those of the members for which a function returns true, and returns them. */
  remove(isRemoved: (member: Member) => boolean): ReadonlyArray<Member> {
    const all = [...this.callers, ...this.background]
    const removed = new Set(all.filter(isRemoved))
    if (removed.size > 0) this.keep(all.filter((member) => !removed.has(member)))
    return [...removed]
  }

  private keep(members: ReadonlyArray<Member>): void {
    this.callers = members.filter(({ backgroundSince }) => backgroundSince === undefined)
    this.background = members.filter(({ backgroundSince }) => backgroundSince !== undefined)
    this.length = members.length
  }
}
