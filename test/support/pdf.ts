import { deflateSync } from 'node:zlib'

/**
 * A PDF whose objects are numbered from 1; the first one is its catalogue.
 *
 * @param trailer  More entries of its trailer.
 * @see ISO 32000-1 section 7.5
 */
export function pdfOf(objects: readonly string[], trailer = ''): Buffer {
  let text = '%PDF-1.7\n'
  const offsets = objects.map((object, at) => {
    const offset = text.length
    text += `${at + 1} 0 obj\n${object}\nendobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${offsets.join('')}`
  const end = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${text.length}\n%%EOF\n`
  return Buffer.from(text + table + end, 'latin1')
}

/** A stream object, compressed. */
export function streamOf(content: string, entries = ''): string {
  const bytes = deflateSync(content).toString('latin1')
  return `<< /Length ${bytes.length} /Filter /FlateDecode ${entries} >>\nstream\n${bytes}\nendstream`
}

/**
 * A PDF with one page per content stream, in Helvetica (`/F1`).
 *
 * @param more.catalogue  More entries of the catalogue.
 * @param more.page  More entries of each page, beside its size.
 */
export function pdfWithPages(
  contents: readonly string[],
  more: { catalogue?: string; page?: string; trailer?: string; size?: [number, number] } = {},
): Buffer {
  const [width, height] = more.size ?? [612, 792]
  const font = 3
  const pageOf = (at: number): number => font + 1 + 2 * at
  const kids = contents.map((_, at) => `${pageOf(at)} 0 R`).join(' ')
  return pdfOf(
    [
      `<< /Type /Catalog /Pages 2 0 R ${more.catalogue ?? ''} >>`,
      `<< /Type /Pages /Kids [${kids}] /Count ${contents.length} >>`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
      ...contents.flatMap((content, at) => [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents ${pageOf(at) + 1} 0 R /Resources << /Font << /F1 ${font} 0 R >> >> ${more.page ?? ''} >>`,
        streamOf(content),
      ]),
    ],
    more.trailer,
  )
}
