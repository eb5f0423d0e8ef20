import type { DocsFile } from "../docs/docsText.ts"
import type { Route } from "./Route.ts"
import { staticRoute } from "./staticRoute.ts"

const assets: ReadonlyArray<DocsFile> = ["petstore.css", "petstore.js", "swagger-ui.css", "swagger-ui-bundle.js"]

/** The page that shows the description of the API and tries it out, by path. `compressed`: for clients that accept it. */
export const docsRoutes = (compressed: boolean): ReadonlyArray<readonly [path: string, route: Route]> => {
  const file = (name: DocsFile): Route =>
    staticRoute(`docs ${name}`, async () => (await import("../docs/docsPage.ts")).docsFile(name), compressed)
  return [
    ["/docs", file("index.html")],
    ...assets.map((name): readonly [string, Route] => [`/docs/${name}`, file(name)])
  ]
}
