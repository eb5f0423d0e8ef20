import { execFileSync } from "node:child_process"
import { appendFileSync, readFileSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { ProofLog, readProof } from "./ProofLog.ts"

const inFolder = (name: string, body: (file: string) => void) =>
  it.effect(name, () => Effect.scoped(Effect.map(temporaryFolder, (folder) => body(join(folder, "proof.ndjson")))))

describe("the log of a proof", () => {
  inFolder("given entries, then each is in the file before the next one is added", (file) => {
    const log = new ProofLog(file)
    log.start("proof 1", "shop")
    log.add({ type: "pet", petId: 1, units: 10 })
    const proof = { proof: "proof 1", schema: "shop" }
    assert.deepStrictEqual(readProof(file), { ...proof, entries: [{ type: "pet", petId: 1, units: 10 }] })
    const call = { type: "call", call: 1, at: 7, command: { type: "cancel", orderId: 5 } } as const
    log.add(call)
    assert.deepStrictEqual(readProof(file).entries.at(-1), call)
    log.close()
  })

  inFolder("given a last line that was cut by the end of the process, then the lines before it count", (file) => {
    const log = new ProofLog(file)
    log.start("proof 1", "shop")
    log.add({ type: "pet", petId: 1, units: 10 })
    log.close()
    appendFileSync(file, '{"type":"pet","petId":2,"un')
    assert.deepStrictEqual(readProof(file).entries, [{ type: "pet", petId: 1, units: 10 }])
  })

  inFolder("given a file that exists, then it is refused and stays as it is", (file) => {
    writeFileSync(file, "mine")
    assert.throws(() => new ProofLog(file), /exists already; check it with --resume, or name a new file with --log$/)
    assert.strictEqual(readFileSync(file, "utf8"), "mine")
  })

  inFolder("given a pipe to which nobody writes, or a folder, then it is refused at once", (file) => {
    execFileSync("mkfifo", [file])
    for (const path of [file, dirname(file)])
      assert.throws(() => readProof(path), /cannot be read; name the log of a proof with --resume$/)
  })

  inFolder("given a file that is no log, then the message names its line", (file) => {
    writeFileSync(file, "mine\n")
    assert.throws(() => readProof(file), /is not a log of petstore prove: see its line 1$/)
    writeFileSync(file, '{"type":"start","proof":"p","schema":"s"}\n{"type":"pet"}\n')
    assert.throws(() => readProof(file), /is not a log of petstore prove: see its line 2$/)
    assert.throws(() => readProof(`${file}.none`), /cannot be read; name the log of a proof with --resume$/)
  })
})
