import { closest } from "@petstore/core/domain"

/** What a URL says beside the place: options of the adapter, and what the driver takes as an option only. */
interface UrlParameters {
  readonly url: string
  readonly prepare?: boolean
  readonly maxConnections?: number
}

/** Parameters that `pg` reads in a URL, and that change nothing that the adapter depends on. */
const ofDriver = new Set([
  "application_name",
  "database",
  "db",
  "fallback_application_name",
  "host",
  "options",
  "password",
  "port",
  "query_timeout",
  "ssl",
  "sslcert",
  "sslkey",
  "sslmode",
  "sslnegotiation",
  "sslrootcert",
  "uselibpqcompat",
  "user"
])

/** Those that say what the adapter does anyway. Some services write them into their URLs. */
const asItIs: Readonly<Record<string, ReadonlyArray<string>>> = {
  channel_binding: ["prefer", "disable"],
  client_encoding: ["utf8", "UTF8"],
  encoding: ["utf8", "UTF8"],
  target_session_attrs: ["read-write", "primary"]
}

const asOption = (option: string, flag: string) =>
  `Remove it from the URL, and set the option ${option}, or ${flag} of the command petstore`

/** What to write instead of those that are options of the adapter, perhaps under another name. */
const instead: Readonly<Record<string, string>> = {
  connecttimeout: asOption("connectTimeout", "--connect-timeout"),
  connectionlimit: "Write maxConnections=NUMBER instead",
  groups: asOption("groups", "--groups"),
  locktimeout: asOption("lockTimeout", "--lock-timeout"),
  max: "Write maxConnections=NUMBER instead",
  migrate: "Remove it from the URL, and set the option migrate, or run petstore migrate",
  pgbouncer: "Write prepare=false instead",
  poolsize: "Write maxConnections=NUMBER instead",
  replica: asOption("replica", "--replica"),
  schema: asOption("schema", "--schema"),
  statementtimeout: asOption("statementTimeout", "--statement-timeout"),
  timeout: asOption("timeout", "--storage-timeout")
}

const binding = "channel_binding=require"

/** Whether a URL asks for channel binding, which `pg` has as an option only. It is used if the server offers it. */
export const bindsChannel = (url: string): boolean => url.includes(binding)

const wholeNumber = /^[1-9]\d{0,3}$/

/**
 * Reads the parameters of a URL. Throws a TypeError for one that nobody reads: ignoring it would do something else than is
 * written. The message shows the name of a parameter, and nothing else of the URL.
 */
export const readParameters = (text: string): UrlParameters => {
  const [, start = text, query = ""] = /^([^?]*)\?(.*)$/s.exec(text) ?? []
  const parts = query.split("&").filter((part) => part !== "")
  const kept: Array<string> = []
  const names = new Set<string>()
  let own: Omit<UrlParameters, "url"> = {}
  for (const part of parts) {
    const [[name, value] = ["", ""]] = new URLSearchParams(part)
    const isRepeated = names.has(name)
    if (isRepeated && isKnown(name)) throw new TypeError(`The URL has the parameter ${name} twice. Keep one of them.`)
    names.add(name)
    if (name === "prepare" && /^(?:true|false)$/.test(value)) own = { ...own, prepare: value === "true" }
    else if (name === "maxConnections" && wholeNumber.test(value)) own = { ...own, maxConnections: Number(value) }
    else if (ofDriver.has(name) || part === binding) kept.push(part)
    else if (asItIs[name]?.includes(value) !== true) throw new TypeError(problemOf(name, query))
  }
  return { url: kept.length === 0 ? start : `${start}?${kept.join("&")}`, ...own }
}

const isKnown = (name: string): boolean =>
  name === "prepare" || name === "maxConnections" || ofDriver.has(name) || asItIs[name] !== undefined

const problemOf = (name: string, query: string): string => {
  if (name === "prepare") return "The parameter prepare of the URL takes true or false"
  if (name === "maxConnections") return "The parameter maxConnections of the URL takes a whole number of 1 or more"
  const advice = instead[name.toLowerCase().replaceAll(/[_-]/g, "")]
  if (advice !== undefined) return `The parameter ${name} of the URL is not read. ${advice}.`
  const values = asItIs[name]
  if (values !== undefined && !query.includes("@")) {
    return `The parameter ${name} of the URL takes ${values.join(" or ")}. Correct it, or leave it out.`
  }
  // A password with a question mark looks like parameters.
  const isShown = /^\w+$/.test(name) && !query.includes("@")
  const meant = isShown ? closest(name, ["prepare", "maxConnections", ...ofDriver, ...Object.keys(asItIs)]) : undefined
  const remedy = meant === undefined ? "Leave it out" : `Did you mean ${meant}? Otherwise leave it out`
  return `The URL has ${isShown ? `the parameter ${name}` : "a parameter"}, which neither the petstore nor pg reads. ${remedy}; the characters ? and & of a password are written %3F and %26.`
}
