import type { Readable } from 'node:stream'
import { invalidOption, type LocalpostError } from '../core/errors.ts'
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
  if (!process.stdin.isTTY)
    throw invalidOption('There is no terminal to ask for the password. Add --password-stdin, and pipe it in.')
  // Switched off before the first question and until the end, so that early input is not echoed either.
  process.stdin.setRawMode(true)
  try {
    const password = checked(await askOnce(`Password for ${name}: `))
    if ((await askOnce('Again: ')) !== password) throw invalidOption('The two passwords differ.')
    return password
  } finally {
    process.stdin.setRawMode(false)
  }
}

function askOnce(question: string): Promise<string> {
  const { stdin, stderr } = process
  stderr.write(question)
  stdin.setEncoding('utf8').resume()
  return new Promise((resolve, reject) => {
    let text = ''
    const end = (error?: LocalpostError): void => {
      stdin.off('data', onData).pause()
      stderr.write('\n')
      if (error) reject(error)
      else resolve(text)
    }
    const onData = (piece: string | Buffer): void => {
      for (const character of String(piece)) {
        if (character === '\r' || character === '\n') return end()
        // Ctrl-C and Ctrl-D
        if (character === '\u0003' || character === '\u0004')
          return end(invalidOption('No password was given.'))
        // Backspace
        if (character === '\u007f' || character === '\b') text = Array.from(text).slice(0, -1).join('')
        else text += character
        if (text.length > passwordLimits.maxBytes) return end()
      }
    }
    stdin.on('data', onData)
  })
}

function checked(password: string): string {
  const { minChars, maxBytes } = passwordLimits
  if (Array.from(password).length < minChars)
    throw invalidOption(`The password is too short: it must have at least ${minChars} characters.`)
  if (Buffer.byteLength(password) > maxBytes)
    throw invalidOption(`The password is too long: it must have at most ${maxBytes} bytes.`)
  return password
}
