import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { createMask } from '../compare/masks.ts'
import type { Mail } from '../inbox/types.ts'
import { comparePictures } from '../pictures/compare.ts'
import { type Picture, takePictures } from '../pictures/take.ts'
import { assertExpectation } from './expectation.ts'
import type { Outcome } from './outcome.ts'
import { type RunnerSnapshots, runnerSnapshots } from './runner-snapshots.ts'

/** How pictures of a mail are taken and compared. */
export interface MailPictureOptions {
  /** Tells the pictures of several mails of one test apart. Default: none, for one mail. */
  name?: string
  /** The HTML to show: `inbox.html(mail.id)` has the inline images in place. Default: the HTML of the mail, or its text. */
  html?: string
  /** Texts and patterns to mask, in addition to ids, dates, tokens and codes. Default: none. */
  mask?: readonly (string | RegExp)[]
  /** How much the color of a pixel may differ, from 0 to 1. Default: 0.1. */
  threshold?: number
  /** How many pixels of a picture may differ. Default: 0. */
  maxDiffPixels?: number
  /** For all pictures, the start of the browser included, in milliseconds. Default: 30,000. */
  timeoutMs?: number
}

/** Compares a mail with its pictures, which are kept beside the snapshots of the test file. */
export async function checkPictures(
  context: unknown,
  mail: Mail,
  options: MailPictureOptions = {},
): Promise<Outcome> {
  const runner = runnerSnapshots(context, 'toMatchMailPictures', '')
  const pictures = await picturesOf(mail, options)
  const failures: string[] = []
  for (const picture of pictures) {
    const failure = await checkOne(picture, pictureFile(runner, options.name, picture.view), runner, options)
    if (failure !== null) failures.push(failure)
  }
  const found = `The mail ${mail.id} differs from its pictures:`
  return {
    pass: failures.length === 0,
    message: () => [found, ...failures, '', `Look at them, and accept them: ${runner.command}`].join('\n'),
  }
}

/** The pictures of a mail, with what differs each time masked. @throws TypeError for unknown options. */
export async function picturesOf(mail: Mail, options: MailPictureOptions): Promise<Picture[]> {
  assertExpectation(options, members, 'Pictures of a mail')
  const { html = mail.html, mask = [], timeoutMs = 30_000 } = options
  const shown = html === '' ? textPage(mail.text) : html
  return takePictures(shown, { mask: createMask(mail.codes, mask), timeoutMs })
}

/** How much two pictures may differ by default. */
export const defaultThreshold = 0.1

const members = {
  name: 'text',
  html: 'text',
  mask: 'patterns',
  threshold: 'share',
  maxDiffPixels: 'count',
  timeoutMs: 'milliseconds',
} as const

function textPage(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
  return `<!doctype html><meta name="color-scheme" content="light dark"><pre style="white-space: pre-wrap">${escaped}</pre>`
}

/** @returns What is wrong, null if nothing is. */
async function checkOne(
  { png }: Picture,
  file: string,
  { writes }: RunnerSnapshots,
  { threshold = defaultThreshold, maxDiffPixels = 0 }: MailPictureOptions,
): Promise<string | null> {
  const shown = relative(process.cwd(), file)
  const failureFiles = { difference: withEnding(file, 'difference'), received: withEnding(file, 'received') }
  const removeFailureFiles = (): Promise<unknown> =>
    Promise.all(Object.values(failureFiles).map((path) => rm(path, { force: true })))
  const write = async (path: string, content: Buffer): Promise<void> => {
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
  }
  if (!existsSync(file)) {
    if (writes === 'none') return `  ${sayMissing(file)}`
    await write(file, png)
    return null
  }
  const difference = await comparePictures(await readFile(file), png, threshold)
  const isSame = difference === null || (difference.sizes === null && difference.pixels <= maxDiffPixels)
  if (isSame || writes === 'all') {
    if (!isSame) await write(file, png)
    await removeFailureFiles()
    return null
  }
  await write(failureFiles.difference, difference.picture)
  await write(failureFiles.received, png)
  const size = difference.sizes === null ? '' : `, and its size is ${difference.sizes}`
  const where = relative(process.cwd(), failureFiles.difference)
  return `  ${shown}: ${difference.pixels} pixels differ${size}. See ${where}`
}

/** What is said of a picture that a run without writing does not find. */
export function sayMissing(file: string): string {
  return `${relative(process.cwd(), file)} is missing, and this run writes none.`
}

/** The file of a picture. A hash tells names apart that become the same words. */
function pictureFile({ path, testName }: RunnerSnapshots, name: string | undefined, view: string): string {
  const whole = name === undefined ? testName : `${testName} > ${name}`
  const words = whole
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-/, '')
    .slice(0, 60)
  const hash = createHash('sha256').update(whole).digest('hex').slice(0, 8)
  return join(dirname(path), '__snapshots__', basename(path), `${words}-${hash}-${view}.png`)
}

function withEnding(file: string, what: string): string {
  return file.replace(/\.png$/, `.${what}.png`)
}
