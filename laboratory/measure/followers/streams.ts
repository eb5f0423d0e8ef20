// A process of clients: `node streams.ts URL KEY COUNT`. It opens so many streams of events, and reports how many events arrive.

import { connect } from "node:net"

const [, , address = "", key = "", count = ""] = process.argv
const { hostname, pathname, port, search } = new URL(address)

let events = 0
const report = (): void => {
  process.send?.({ events })
  events = 0
}
/** The end of an event that has data; other frames only move the position. */
const hasData = /^data: /gm

let open = 0
for (let n = 0; n < Number(count); n++) {
  const socket = connect(Number(port), hostname)
  socket.setEncoding("latin1").once("data", () => {
    if (++open === Number(count)) process.send?.("open")
  })
  socket.once("close", () => process.exit(1))
  socket.on("data", (text: string) => {
    const found = text.match(hasData)?.length ?? 0
    if (found > 0 && events === 0) setTimeout(report, 1)
    events += found
  })
  socket.write(
    `GET ${pathname}${search} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${key}\r\nAccept: text/event-stream\r\n\r\n`
  )
}
process.once("disconnect", () => process.exit())
