const { MessageChannel, setImmediate } = globalThis

const afterMessage = (task: () => void): void => {
  const { port1, port2 } = new MessageChannel()
  port1.onmessage = () => {
    port1.close()
    task()
  }
  port2.postMessage(undefined)
}

/**
 * Runs a task once what has arrived by now has been handled, also where a test replaces the global timers. Browsers have no
 * `setImmediate`, and delay their timers.
 */
export const soon: (task: () => void) => void = setImmediate ?? afterMessage
