import { describe, expect, it } from 'vitest'
import { readPage } from '../../src/reading/page.ts'

const contents: Readonly<Record<string, string>> = {
  'image/png': '\x89PNG\r\n\x1a\n\0\0\0\rIHDR',
  'image/jpeg': '\xff\xd8\xff\xe0\0\x10JFIF',
  'image/gif': 'GIF89a\x01\0',
  'image/webp': 'RIFF\x10\0\0\0WEBPVP8 ',
  'image/avif': '\0\0\0\x1cftypavif',
  'image/bmp': 'BM\x46\0\0\0\0\0\0\0\x36',
}
const extensions: Readonly<Record<string, readonly string[]>> = {
  'image/png': ['png', 'PNG'],
  'image/jpeg': ['jpg', 'jpeg', 'jfif'],
  'image/gif': ['gif'],
  'image/webp': ['webp'],
  'image/avif': ['avif'],
  'image/bmp': ['bmp'],
}
/** Declared types that do not tell what a browser can show. */
const unusable = [
  'image/jpg',
  'image/pjpeg',
  'image/x-png',
  'image/*',
  'image/unknown',
  'image/tiff',
  'application/octet-stream',
  'binary/octet-stream',
  'application/x-download',
  'application/force-download',
  'not a type',
  '',
]
/** Declared types of something else, and contents of documents. */
const others = ['image/svg+xml', 'text/html', 'application/pdf', 'application/xhtml+xml', 'text/xml']
const documents = [
  '<svg xmlns="http://www.w3.org/2000/svg"/>',
  '<html><script>1</script>',
  'BMW is a car',
  'plain',
]

/** The type as which an image is embedded in the page of a mail; null if it is not. */
async function embedded(
  declared: string,
  content: string,
  { name, encoding = 'base64' }: { name?: string; encoding?: 'base64' | 'binary' } = {},
): Promise<string | null> {
  const octets = Buffer.from(content, 'latin1')
  const lines = [
    'Content-Type: multipart/related; boundary=b',
    '',
    '--b',
    'Content-Type: text/html',
    '',
    '<img src="cid:o@x">',
    '--b',
    ...(declared === '' ? [] : [`Content-Type: ${declared}`]),
    ...(name === undefined ? [] : [`Content-Disposition: inline; filename="${name}"`]),
    `Content-Transfer-Encoding: ${encoding}`,
    'Content-ID: <o@x>',
    '',
    encoding === 'base64' ? octets.toString('base64') : content,
    '--b--',
  ]
  const page = Buffer.from(await readPage(Buffer.from(lines.join('\r\n'), 'latin1'), null, {})).toString()
  const [, type, data] = /src="data:([^;]+);base64,([^"]+)"/.exec(page) ?? []
  if (data !== undefined) expect(data).toBe(octets.toString('base64'))
  return type ?? null
}

describe('an image that HTML names by cid:', () => {
  it.each(unusable)(
    'and whose type is %j is embedded as what its name, or its first octets, say',
    async (declared) => {
      for (const [type, content] of Object.entries(contents)) {
        expect(await embedded(declared, content)).toBe(type)
        expect(await embedded(declared, content, { encoding: 'binary' })).toBe(type)
        expect(await embedded(declared, content, { name: 'image' })).toBe(type)
        for (const extension of extensions[type] ?? [])
          expect(await embedded(declared, 'other octets', { name: `a.${extension}` })).toBe(type)
      }
      for (const content of documents) expect(await embedded(declared, content)).toBeNull()
      expect(await embedded(declared, '<svg/>', { name: 'a.svg' })).toBeNull()
      expect(await embedded(declared, '<html>', { name: 'a.html' })).toBeNull()
    },
  )

  it.each(others)(
    'and whose type is %s is not embedded, whatever its name and octets are',
    async (declared) => {
      for (const content of Object.values(contents))
        expect(await embedded(declared, content, { name: 'a.png' })).toBeNull()
    },
  )

  it.each(Object.keys(contents))('and whose type is %s is embedded as declared', async (declared) => {
    expect(await embedded(declared, 'x', { name: 'a.gif' })).toBe(declared)
  })
})
