// Tabs with the overview of the console, as far as the server sees them: `node tabs.ts BASE_URL KEY...`. They are open until the parent goes.

const [, , base = "", ...keys] = process.argv

const open = async (key: string, at: number): Promise<void> => {
  const headers = { authorization: `Bearer ${key}` }
  const get = async (path: string): Promise<string> => (await fetch(base + path, { headers })).text()
  await get("/session")
  const { seq } = JSON.parse(await get("/events/latest"))
  const again = (path: string, every: number) =>
    setTimeout(() => setInterval(() => get(path).catch(() => {}), every), (every * at) / keys.length)
  again("/stats", 2_000)
  again("/store/orders?state=open&count=true&limit=1", 5_000)
  const { body } = await fetch(`${base}/events/stream?after=${seq}&interval=100`, { headers })
  const read = async (): Promise<void> => {
    for await (const bytes of body ?? []) received += bytes.length
  }
  read().catch(() => {})
}

let received = 0
await Promise.all(keys.map(open))
process.send?.("open")
process.once("disconnect", () => process.exit(received === 0 ? 1 : 0))
