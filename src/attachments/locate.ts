import { realpath, stat } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { quote } from '../core/quote.ts'
import { parseDataUri } from './data-uri.ts'
import { isDataUri, isUrl, type ReadReference } from './reference.ts'

/** Where the bytes of an attachment are, or what is wrong with its path. */
export type Source =
  | { kind: 'url'; url: string }
  | { kind: 'data'; content: Buffer; content_type: string }
  | { kind: 'file'; path: string; size: number }
  | { problem: string }

/** @param root  As in `AttachmentSources`. */
export async function locate({ path, data }: ReadReference, root: string | null): Promise<Source> {
  if (data || isDataUri(path)) return data ?? parseDataUri(path)
  if (isUrl(path)) return checkUrl(path)
  // At least two letters: `C:\mails` is a file.
  if (/^[a-z][a-z0-9+.-]+:/i.test(path))
    return { problem: `${quote(path)} is of a kind that is not taken: use an http(s) URL or a data: URI` }
  if (root !== null) return locateFile(path, root)
  const problem = `${quote(path)} is no http(s) URL and no data: URI; files are taken only under \`attachments.root\``
  return { problem }
}

function checkUrl(path: string): Source {
  // The URL parser silently removes line breaks, so the host could differ from the one that is written.
  if (/[\x00-\x1f\x7f]/.test(path)) return { problem: `${quote(path)} has a control character` }
  const url = URL.canParse(path) ? new URL(path) : null
  if (!url) return { problem: `${quote(path)} is not a URL that can be read` }
  const shown = quote(`${url.protocol}//…@${url.host}`)
  if (url.username !== '' || url.password !== '')
    return { problem: `${shown} has credentials in it, which attachment URLs may not` }
  return { kind: 'url', url: url.href }
}

// After realpath, so that neither `..` nor a symbolic link can leave the folder.
async function locateFile(path: string, root: string): Promise<Source> {
  const outside = { problem: `${quote(path)} is not a file under \`attachments.root\`` }
  if (path.includes('\0')) return outside
  try {
    const base = await realpath(root)
    const real = await realpath(resolve(base, path))
    const inside = relative(base, real)
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside))
      return outside
    const stats = await stat(real)
    return stats.isFile() ? { kind: 'file', path: real, size: stats.size } : outside
  } catch {
    // Missing and forbidden look the same, so that the answer reveals nothing about other files.
    return outside
  }
}
