/** @type {import("@hey-api/openapi-ts").UserConfig} */
export default {
  input: "../../packages/http/openapi/petstore.yaml",
  output: { path: "generated/hey-api", importFileExtension: ".js" },
  plugins: ["@hey-api/client-fetch", "@hey-api/sdk", "@hey-api/typescript"],
  logs: { file: false }
}
