/** A time to the second, with a blank at which a narrow table can break it. */
export const secondOf = (time: string | undefined): string =>
  time === undefined ? "-" : `${time.slice(0, 19).replace("T", " ")}Z`
