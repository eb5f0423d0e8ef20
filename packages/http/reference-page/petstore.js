// What Swagger UI shows beside its own: the marks of an operation, as the description of the API has them.
const operationOf = (system, path, method) => system.specSelectors.specJson().getIn(["paths", path, method])

const system = matchMedia("(prefers-color-scheme: dark)")
const follow = ({ matches }) => document.documentElement.classList.toggle("dark-mode", matches)
follow(system)
system.addEventListener("change", follow)

/** Whether every word of a search is in the text of an operation. */
const isFound = (words, tag, found) => {
  const operation = found.get("operation")
  const fields = ["operationId", "summary", "description"].map((name) => operation.get(name))
  const texts = [tag, found.get("method"), found.get("path"), ...fields]
  const text = texts.join(" ").toLowerCase()
  return words.every((word) => text.includes(word))
}

const opsFilter = (tags, phrase) => {
  const words = phrase.toLowerCase().split(/\s+/)
  return tags
    .map((group, tag) => group.update("operations", (all) => all.filter((found) => isFound(words, tag, found))))
    .filter((group) => group.get("operations").size > 0)
}

const marks = (system) => {
  const element = system.React.createElement

  const badgesOf = (operation) =>
    [operation.get("x-stability"), operation.get("x-hideTryItPanel") === true ? "no try-out" : undefined]
      .filter((text) => text !== undefined)
      .map((text) => element("span", { className: "petstore-badge", key: text }, text))

  const warningOf = (operation) => {
    if (operation.get("deprecated") !== true) return null
    const sunset = operation.get("x-deprecated-sunset")
    const end = sunset === undefined ? "" : ` It ends on ${sunset} and responds with 410 from then on.`
    return element("p", { className: "petstore-warning", role: "note" }, `This operation is deprecated.${end}`)
  }

  const withMarks = (Summary, current) => (props) => {
    const { operationProps } = props
    const operation = operationOf(current, operationProps.get("path"), operationProps.get("method"))
    const summary = element(Summary, props)
    if (operation === undefined) return summary
    return element("div", { className: "petstore-summary" }, summary, badgesOf(operation), warningOf(operation))
  }

  // An API key is a secret: nobody who looks on should read it.
  const withHiddenKey = (Input) => (props) =>
    element(Input, props.id === "auth-bearer-value" ? { ...props, type: "password", autoComplete: "off" } : props)

  // Swagger UI warns if no component is named after the format of a list's items, and shows this one for them.
  const asText = (props) => element(props.getComponent("JsonSchema_string"), props)

  const searchField =
    () =>
    ({ layoutActions, layoutSelectors }) => {
      const phrase = layoutSelectors.currentFilter()
      const input = element("input", {
        type: "search",
        placeholder: "Search operations, for example: cancel order",
        "aria-label": "Search operations",
        value: typeof phrase === "string" ? phrase : "",
        onChange: ({ target }) => layoutActions.updateFilter(target.value)
      })
      return element("div", { className: "petstore-search wrapper" }, input)
    }

  const allowTryItOutFor = (original, current) => (_state, path, method) =>
    operationOf(current, path, method)?.get("x-hideTryItPanel") !== true && original(path, method)

  return {
    components: { JsonSchema_integer_int64: asText },
    fn: { opsFilter },
    statePlugins: { spec: { wrapSelectors: { allowTryItOutFor } } },
    wrapComponents: { FilterContainer: searchField, Input: withHiddenKey, OperationSummary: withMarks }
  }
}

window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#petstore",
  deepLinking: true,
  displayRequestDuration: true,
  // In the storage of the browser for this origin, until Logout.
  persistAuthorization: true,
  filter: true,
  defaultModelsExpandDepth: 0,
  // The badge of a validator asks a host elsewhere.
  validatorUrl: null,
  plugins: [marks]
})
