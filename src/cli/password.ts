import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import { invalidOption } from '../core/errors.ts'
import { passwordLimits } from '../users/password.ts'

/**
 * Reads a password from standard input: the first line.
 *
 * @throws invalid_option if it is too short or too long.
 */
export async function readPassword(input: Readable): Promise<string> {
  let text = ''
  for await (const piece of input.setEncoding('utf8')) {
    text += String(piece)
    if (text.length > passwordLimits.maxBytes + 2 || text.includes('\n')) break
  }
  return checked(text.split(/\r?\n/)[0] ?? '')
}

/**
 * Asks for a password twice on the terminal, without echo.
 *
 * @throws invalid_option without a terminal, for two different passwords, and where it is too short or too long.
 */
export async function askPassword(name: string): Promise<string> {
  const { stdin, stderr } = process
  if (!stdin.isTTY)
    throw invalidOption('There is no terminal to ask for the password. Add --password-stdin, and pipe it in.')
  const silent = new Writable({ write: (_piece, _encoding, done) => done() })
  // Open from before the first question until the end, so that early input is not echoed either.
  const terminal = createInterface({ input: stdin, output: silent, terminal: true, historySize: 0 })
  // Ctrl-C closes it, and Ctrl-D on an empty line.
  const closing = new AbortController()
  terminal.once('close', () => closing.abort())
  const ask = async (question: string): Promise<string> => {
    stderr.write(question)
    const answer = terminal.question('', { signal: closing.signal })
    return answer.finally(() => stderr.write('\n'))
  }
  try {
    const password = checked(await ask(`Password for ${name}: `))
    if ((await ask('Again: ')) !== password) throw invalidOption('The two passwords differ.')
    return password
  } catch (error) {
    throw closing.signal.aborted ? invalidOption('No password was given.') : error
  } finally {
    terminal.close()
  }
}

function checked(password: string): string {
  const { minChars, maxBytes } = passwordLimits
  if (Array.from(password).length < minChars)
    throw invalidOption(`The password is too short: it must have at least ${minChars} characters.`)
  if (Buffer.byteLength(password) > maxBytes)
    throw invalidOption(`The password is too long: it must have at most ${maxBytes} bytes.`)
  return password
}
