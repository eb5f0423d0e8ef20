// Loaded into every server by `--import`: reports what its process has used when the benchmark asks.

process.on("message", () => {
  const { system, user } = process.cpuUsage()
  process.send?.({ cpu: system + user, rss: process.memoryUsage.rss() })
})
process.once("disconnect", () => process.exit())
process.channel?.unref()
