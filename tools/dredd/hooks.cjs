// What dredd cannot do by the examples alone: it follows no links, and sends the first of several examples only.
const hooks = require("hooks")

const known = new Map()

const isPost = ({ request }, path) => request.method === "POST" && request.uri === path

hooks.afterEach((transaction) => {
  if (isPost(transaction, "/messages")) known.set("messageId", JSON.parse(transaction.real.body).id)
})

hooks.beforeEach((transaction, done) => {
  transaction.fullPath = transaction.fullPath.replace(/msg_[0-9a-z]+/, (example) => known.get("messageId") ?? example)
  const { headers, method, uri } = transaction.request
  if (method !== "DELETE" || !uri.startsWith("/categories/")) return done()
  fetch(`http://${transaction.host}:${transaction.port}/categories`, {
    method: "POST",
    headers: { authorization: headers.authorization, "content-type": "application/json" },
    body: JSON.stringify({ name: "Cats" })
  }).then(() => done())
})
