import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { isErrorOf, LocalpostError } from '../core/errors.ts'

/**
 * Keeps the URL of the page in the data folder while it is open, for a process that finds the folder in use. Failures are
 * ignored: nothing else needs the file.
 */
export async function keepPageUrl(dir: string, url: string): Promise<void> {
  try {
    await mkdir(dirname(pathIn(dir)), { recursive: true, mode: 0o700 })
    // A new file: a copy of the folder by hard links keeps its own.
    await rm(pathIn(dir), { force: true })
    await writeFile(pathIn(dir), url, { flag: 'wx', mode: 0o600 })
  } catch {}
}

/**
 * Removes the file; at a start too, because a process that was killed leaves it.
 *
 * @param url  Removes it only if it has this URL: another process may have taken the folder over. Default: in any case.
 */
export async function forgetPageUrl(dir: string, url?: string): Promise<void> {
  try {
    if (url === undefined || (await readFile(pathIn(dir), 'latin1')) === url)
      await rm(pathIn(dir), { force: true })
  } catch {}
}

/** Adds the URL of the running page to the error that a folder is in use; other errors stay as they are. */
export async function withPageUrl(problem: unknown, dir: string): Promise<unknown> {
  if (!isErrorOf(problem, 'store_in_use')) return problem
  const url = await readFile(pathIn(dir), 'latin1').catch(() => '')
  if (!form.test(url)) return problem
  return new LocalpostError('store_in_use', `${problem.message} Its page is ${url}.`, { cause: problem })
}

const pathIn = (dir: string): string => join(dir, 'derived', 'page-url')
const form = /^https?:\/\/[\w.:[\]-]{1,100}$/
