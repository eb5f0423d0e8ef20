const meta = document.querySelector<HTMLMetaElement>('meta[name="petstore"]')

/** What a proxy or the app put in front of the page is in front of the API, too: the server need not know it. */
const prefix = location.pathname.replace(/\/console$/, "")
export const base = prefix + (meta?.content ?? "/v1")
export const docsUrl = `${prefix}/docs`
export const readyUrl = `${prefix}/health/ready`
export const version = meta?.dataset.version ?? ""
/** `host`: the app's own session, a cookie, says who this is, so nobody types a key. */
export const signsIn: "apiKey" | "host" = meta?.dataset.signIn === "host" ? "host" : "apiKey"
