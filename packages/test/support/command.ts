import { execFile } from "node:child_process"

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export interface CommandOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
}

/** Runs a program to its end; it is killed after eight minutes. */
export const attempt = (command: string, args: ReadonlyArray<string>, options: CommandOptions): Promise<Ended> =>
  new Promise((resolve, reject) => {
    const env = { ...process.env, ...options.env }
    execFile(command, args, { ...options, env, timeout: 480_000, maxBuffer: 2 ** 26 }, (error, stdout, stderr) => {
      if (error !== null && typeof error.code !== "number") reject(error)
      else resolve({ code: Number(error?.code ?? 0), stdout, stderr })
    })
  })

/** Runs a program that must succeed, and returns its output. */
export const run = async (command: string, args: ReadonlyArray<string>, options: CommandOptions): Promise<string> => {
  const { code, stderr, stdout } = await attempt(command, args, options)
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} ended with ${code}\n${stdout}${stderr}`)
  return stdout
}
