import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { LocalpostError } from '../core/errors.ts'
import { quote } from '../core/quote.ts'
import { type Answer, bytesAnswer } from './answer.ts'

/** The paths of the page, with what answers each; no other path is answered with a file. */
export const pageFiles: Readonly<Record<string, (uiDir: string, name: string) => Promise<Answer>>> = {
  '/': indexPage,
  '/index.html': indexPage,
  '/favicon.svg': favicon,
  '/assets/{name}': assetFile,
}

async function indexPage(uiDir: string): Promise<Answer> {
  const page = await readOrNull(join(uiDir, 'index.html'))
  if (!page) return bytesAnswer(notBuilt, { 'content-type': 'text/plain; charset=utf-8' })
  return bytesAnswer(page, {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'referrer-policy': 'no-referrer',
  })
}

/** @throws not_found */
async function favicon(uiDir: string): Promise<Answer> {
  const icon = await readOrNull(join(uiDir, 'favicon.svg'))
  if (!icon) throw notThere('/favicon.svg')
  return bytesAnswer(icon, { 'content-type': 'image/svg+xml', 'cache-control': 'max-age=3600' })
}

/** @throws not_found */
async function assetFile(uiDir: string, name: string): Promise<Answer> {
  // A plain name only: no separators, nothing hidden, so it cannot lead out of the folder.
  const type = /^[\w-][\w.-]*$/.test(name) ? types[name.slice(name.lastIndexOf('.') + 1)] : undefined
  const content = type ? await readOrNull(join(uiDir, 'assets', name)) : null
  if (!type || !content) throw notThere(`/assets/${name}`)
  // The name has a hash of the content in it.
  return bytesAnswer(content, {
    'content-type': type,
    'cache-control': 'public, max-age=31536000, immutable',
    // Applies where the file is a worker: it reads hostile files, and connects to nothing.
    'content-security-policy': "default-src 'none'",
  })
}

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  woff2: 'font/woff2',
  map: 'application/json',
}

const notBuilt = `Localpost is running, but its inbox page is not built. Build it with

    npx vite build ui

and load this page again. The interface (/v1) and the control API (/dev) work without it.
`

function notThere(path: string): LocalpostError {
  return new LocalpostError('not_found', `There is nothing at ${quote(path)}.`)
}

async function readOrNull(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'EISDIR') return null
    throw error
  }
}
