import { assert, describe, it } from "@effect/vitest"
import { Router } from "./RouteTable.ts"

const router = new Router<string>()
router.add("GET", "/v1/pets", "list")
router.add("POST", "/v1/pets", "create")
router.add("GET", "/v1/pets/:petId", "read")
router.add("DELETE", "/v1/pets/:petId", "delete")
router.add("GET", "/v1/inventory/:petId/movements", "movements")
router.add("GET", "/v1/inventory/:petId", "stock")

const found = (path: string, method = "GET") => {
  const match = router.find(path)
  return match === undefined ? undefined : [match.resource.methods.get(method), ...match.values]
}

describe("a router", () => {
  it("given another case, other slashes, or more or fewer segments, then nothing is found", () => {
    const paths = [
      "",
      "/",
      "v1/pets",
      "/V1/pets",
      "/v1/Pets",
      "/v1/pets/",
      "//v1/pets",
      "/v1//pets",
      "/v1/pets//",
      "/v1/pets/7/",
      "/v1/pets/7/x",
      "/v1/inventory//movements",
      "/v1",
      "/v1/pets;a=b",
      "/v1/./pets",
      "/v1/../v1/pets"
    ]
    for (const path of paths) assert.isUndefined(router.find(path), path)
  })

  it("given percent-encoded segments, then they are decoded, and a malformed one is compared as it is", () => {
    assert.deepStrictEqual(found("/v1/p%65ts"), ["list"])
    assert.deepStrictEqual(found("/v1/pets/%37"), ["read", "7"])
    assert.deepStrictEqual(found("/v1/pets/a%2Fb"), ["read", "a/b"])
    assert.deepStrictEqual(found("/v1/pets/%zz"), ["read", "%zz"])
    assert.deepStrictEqual(found("/v1/pets/%ff"), ["read", "%ff"])
    assert.isUndefined(router.find("/v1%2Fpets"))
  })

  it("given two operations with the same method and path, then adding the second throws", () => {
    assert.throws(() => router.add("GET", "/v1/pets/:otherName", "again"), /two operations/)
  })
})
