// Loaded into programs by `--import`: reports the most memory, in megabytes, that the process has held when it ends.

process.channel?.unref()
process.once("exit", () => process.send?.(process.resourceUsage().maxRSS / 1_024))
