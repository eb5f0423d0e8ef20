import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { appendFileSync, readdirSync, writeFileSync } from "node:fs"
import { writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { temporaryFolder } from "../../../test/support/folder.ts"
import { openInput } from "./InputFile.ts"

const text = `name,category\n${"Tom,Cat\n".repeat(30_000)}`
const digest = createHash("sha256").update(text).digest("hex")

const read = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
  const all: Array<Uint8Array> = []
  for await (const chunk of chunks) all.push(chunk)
  return Buffer.concat(all).toString()
}

const given = (name: string, body: (folder: string) => Promise<void>) =>
  it.effect(name, () => Effect.flatMap(temporaryFolder, (folder) => Effect.promise(() => body(folder))))

const never = new AbortController().signal

describe("an input file", () => {
  given("given a file, then its content is known before it is read, and is unchanged afterwards", async (folder) => {
    const file = join(folder, "pets.csv")
    writeFileSync(file, text)
    const input = await openInput(file, never)
    assert.deepStrictEqual([input.digest, input.size, input.position()], [digest, text.length, 0])
    assert.strictEqual(await read(input.chunks), text)
    assert.strictEqual(await read(input.chunks), text)
    assert.deepStrictEqual([input.position(), input.isUnchanged()], [text.length, true])
    await input.close()
  })

  given(
    "given chunks that are left before their end, then they can be read again from the beginning",
    async (folder) => {
      const file = join(folder, "pets.csv")
      writeFileSync(file, text)
      const input = await openInput(file, never)
      for await (const _ of input.chunks) break
      assert.strictEqual(await read(input.chunks), text)
      await input.close()
    }
  )

  given("given a byte order mark, then it belongs to the content and not to the chunks", async (folder) => {
    const file = join(folder, "pets.csv")
    writeFileSync(file, `\ufeff${text}`)
    const input = await openInput(file, never)
    assert.notStrictEqual(input.digest, digest)
    assert.strictEqual(await read(input.chunks), text)
    assert.isTrue(input.isUnchanged())
    await input.close()
  })

  given("given a file that grows while it is read, then that is noticed", async (folder) => {
    const file = join(folder, "pets.csv")
    writeFileSync(file, text)
    const input = await openInput(file, never)
    appendFileSync(file, "Tim,Cat\n")
    await read(input.chunks)
    assert.isFalse(input.isUnchanged())
    await input.close()
  })

  given(
    "given a pipe, which can be read once, then it has the content of a file, and leaves nothing behind",
    async (folder) => {
      const pipe = join(folder, "pipe.csv")
      execFileSync("mkfifo", [pipe])
      const written = writeFile(pipe, text)
      const input = await openInput(pipe, never)
      await written
      assert.deepStrictEqual([input.digest, input.size], [digest, text.length])
      assert.strictEqual(await read(input.chunks), text)
      await input.close()
      assert.deepStrictEqual(
        readdirSync(tmpdir()).filter((name) => name.startsWith(`petstore-import-${process.pid}-`)),
        []
      )
    }
  )
})
