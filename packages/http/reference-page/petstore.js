// What Swagger UI shows beside its own: the marks of an operation, as the description of the API has them.
const operationOf = (system, path, method) => system.specSelectors.specJson().getIn(["paths", path, method])

const withoutExample = ({ example, ...parameter }) =>
  parameter.required ? { ...parameter, ...(example === undefined ? {} : { example }) } : parameter

const eachValue = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value)]))

// The page fills every field with its example, and an If-Match that was made up would refuse every change.
const withEmptyOptions = (document) => ({
  ...document,
  components: { ...document.components, parameters: eachValue(document.components.parameters, withoutExample) },
  paths: eachValue(document.paths, (item) =>
    eachValue(item, (value) =>
      value.parameters === undefined ? value : { ...value, parameters: value.parameters.map(withoutExample) }
    )
  )
})

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

  const allowTryItOutFor = (original, current) => (_state, path, method) =>
    operationOf(current, path, method)?.get("x-hideTryItPanel") !== true && original(path, method)

  return {
    statePlugins: {
      spec: {
        wrapSelectors: { allowTryItOutFor },
        wrapActions: { updateJsonSpec: (original) => (document) => original(withEmptyOptions(document)) }
      }
    },
    wrapComponents: { Input: withHiddenKey, OperationSummary: withMarks }
  }
}

window.SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#petstore",
  deepLinking: true,
  displayRequestDuration: true,
  defaultModelsExpandDepth: 0,
  // The badge of a validator asks a host elsewhere.
  validatorUrl: null,
  plugins: [marks]
})
