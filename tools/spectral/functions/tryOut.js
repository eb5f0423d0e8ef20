/** Try-out is off under every name or under none. */
export default function tryOut(operation) {
  const { "x-explorer-enabled": enabled, "x-hideTryItPanel": hidden } = operation
  return (hidden === undefined && enabled === undefined) || (hidden === true && enabled === false)
    ? []
    : [{ message: "x-hideTryItPanel: true and x-explorer-enabled: false belong together" }]
}
