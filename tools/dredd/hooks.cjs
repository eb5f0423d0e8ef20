// What dredd cannot do by the examples alone: it follows no links, and removes nothing between two requests.
const hooks = require("hooks")

const known = new Map()

const isPost = ({ request }, path) => request.method === "POST" && request.uri === path

hooks.afterEach((transaction) => {
  if (isPost(transaction, "/messages")) known.set("messageId", JSON.parse(transaction.real.body).id)
})

hooks.beforeEach((transaction, done) => {
  transaction.fullPath = transaction.fullPath.replace(/msg_[0-9a-z]+/, (example) => known.get("messageId") ?? example)
  const isLast = transaction.request.method === "DELETE" && transaction.request.uri.startsWith("/categories/")
  const { authorization } = transaction.request.headers
  const removed = (isLast ? process.env.LEFT_BY_BATCHES.split(",") : []).map((path) =>
    fetch(`http://${transaction.host}:${transaction.port}${path}`, { method: "DELETE", headers: { authorization } })
  )
  Promise.all(removed).then(() => done())
})
