import { X509Certificate } from 'node:crypto'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { z } from 'zod'
import { LocalpostError } from '../core/errors.ts'
import type { Arguments } from './arguments.ts'
import type { Output } from './output.ts'
import { brokenOff, connect, readAnswer, shortReasonOf } from './remote.ts'

/**
 * Runs `localpost ca`: prints the path of a file with the CA that signed the certificate of a running server. That is
 * the server's own file where it is on this machine, else a file that is written here.
 *
 * @returns The exit code.
 * @throws request_failed if the server does not answer, not_found if it made no certificate, else its error.
 */
export async function runCa(given: Arguments, output: Output): Promise<0> {
  const remote = await connect(given, process.env, output)
  const ca = await (await remote.ask('/dev/ca.pem')).text().catch(brokenOff)
  const { to } = given.flags
  if (to === undefined) {
    const complaint = 'does not answer as this version does.'
    const { ca: served } = await readAnswer(remote, healthSchema, complaint, '/dev/health')
    const file = served?.file ?? null
    if (file !== null && (await readIfFile(file)) === ca) {
      output.log(file)
      return 0
    }
  }
  if (!isAuthority(ca)) {
    const message = 'The answer is not a certificate. Is it Localpost that runs at this URL?'
    throw new LocalpostError('unexpected_response', message)
  }
  const path = resolve(to ?? 'localpost-ca.pem')
  await writeFile(path, ca).catch((error: unknown) => {
    const message = `${path} cannot be written (${shortReasonOf(error)}). Name another file with --to.`
    throw new LocalpostError('request_failed', message, { cause: error })
  })
  output.log(path)
  return 0
}

const healthSchema = z.object({ ca: z.object({ file: z.string().nullable() }).nullable() })

function isAuthority(text: string): boolean {
  try {
    return new X509Certificate(text).ca
  } catch {
    return false
  }
}

/** null where there is no such file: the server may be in a container, or on another machine. */
async function readIfFile(path: string): Promise<string | null> {
  try {
    return (await stat(path)).isFile() ? await readFile(path, 'utf8') : null
  } catch {
    return null
  }
}
