import * as Option from "effect/Option"

/** Reads a whole number of at most ten digits. */
export const whole = (text: string, minimum: number, maximum: number): Option.Option<number> =>
  /^\d{1,10}$/.test(text) && Number(text) >= minimum && Number(text) <= maximum
    ? Option.some(Number(text))
    : Option.none()

export const isHostname = (text: string): boolean =>
  text.length <= 253 &&
  !/^[\d.]*$/.test(text) &&
  text.split(".").every((label) => /^[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?$/.test(label))

/** Whether a text is an http or https URL without a user or password. */
export const isHttpUrl = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === ""
}
