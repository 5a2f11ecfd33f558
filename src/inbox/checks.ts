import type { Check, Mail } from './types.ts'
import { paced } from '../core/yield.ts'
import { htmlFactSteps, type HtmlImage } from './html-facts.ts'
import { linkFault, type LinkFault } from './link-faults.ts'
import { onlySearched } from '../reading/jobs.ts'
import { placeholderSteps } from './placeholders.ts'

/**
 * Checks a mail for common problems: signature, parts, images, links, size, placeholders, unsubscription. Only the mail
 * itself is read; nothing is fetched. A check that does not apply to the mail is left out. The work yields to the event
 * loop at intervals.
 */
export async function checkMail(mail: Mail): Promise<Check[]> {
  return paced(checkSteps(mail))
}

function* checkSteps(mail: Mail): Generator<undefined, Check[]> {
  const { images, links } = yield* htmlFactSteps(mail.html)
  return [
    checkReading(mail),
    checkSignature(mail),
    checkPlaceholders(yield* placeholderSteps(mail)),
    checkSubject(mail),
    checkParts(mail),
    checkSize(mail),
    yield* checkLinks([...links, ...linksOfTextOnly(mail)]),
    checkImages(images, mail),
    checkAlternatives(images),
    checkPixels(images),
    checkUnsubscription(mail),
  ].flatMap((check) => (check ? [{ ...check, details: check.details.slice(0, 50).map(cut) }] : []))
}

type Found = Check | null

function checkReading({ problem }: Mail): Found {
  if (problem === null) return null
  return problem.startsWith(onlySearched)
    ? say('message', 'info', 'The message is too long to be searched in full.', [problem])
    : say('message', 'fail', 'The message cannot be read in full.', [problem])
}

function checkSignature({ dkim, source, size_bytes }: Mail): Found {
  // A message that is not written yet is not signed yet.
  if (size_bytes === 0) return null
  if (!dkim) {
    return source === 'api'
      ? say('dkim', 'warning', 'The message has no DKIM signature.')
      : say('dkim', 'info', 'The message has no DKIM signature; the server that forwards it must add one.')
  }
  const name = `${dkim.selector}._domainkey.${dkim.domain}`
  const details = dkim.reason === null ? [name] : [name, dkim.reason]
  switch (dkim.result) {
    case 'pass':
      return say('dkim', 'pass', `The DKIM signature of ${dkim.domain} is valid.`, details)
    case 'no_key':
      return say('dkim', 'info', `The DKIM signature of ${dkim.domain} cannot be checked here.`, details)
    case 'fail':
    case 'invalid':
      return say('dkim', 'fail', `The DKIM signature of ${dkim.domain} does not verify.`, details)
  }
}

function checkPlaceholders(left: string[]): Found {
  return left.length === 0
    ? say('placeholders', 'pass', 'No placeholder is left.')
    : say('placeholders', 'fail', `${count(left, 'placeholder')} not replaced.`, left)
}

function checkSubject({ subject }: Mail): Found {
  return subject.trim() === '' ? say('subject', 'warning', 'The mail has no subject.') : null
}

function checkParts({ html, text }: Mail): Found {
  if (html === '' && text.trim() === '') return say('text-part', 'warning', 'The mail has no body.')
  if (text.trim() !== '') return say('text-part', 'pass', 'The mail has a text part.')
  return say('text-part', 'warning', 'There is no text part for mail clients that show no HTML.')
}

function checkSize({ html }: Mail): Found {
  if (html === '') return null
  const kilobytes = Buffer.byteLength(html) / 1024
  const size = `${kilobytes < 10 ? kilobytes.toFixed(1) : Math.round(kilobytes)} KB`
  return kilobytes > clippedAtKilobytes
    ? say(
        'html-size',
        'warning',
        `The HTML has ${size}: Gmail shows only the first ${clippedAtKilobytes} KB.`,
      )
    : say('html-size', 'pass', `The HTML has ${size}.`)
}

const clippedAtKilobytes = 102

function* checkLinks(links: readonly { href: string; text: string }[]): Generator<undefined, Found> {
  if (links.length === 0) return null
  const faults: (LinkFault & { where: string })[] = []
  for (const { href, text } of links) {
    yield
    const fault = linkFault(href)
    if (!fault) continue
    faults.push({ ...fault, where: `${JSON.stringify(cut(text.replace(/\s+/g, ' ').trim()))} ${href}` })
  }
  if (faults.length === 0) return say('links', 'pass', `${count(links, 'link')}, each with a complete URL.`)
  const verdict = faults.some((fault) => fault.verdict === 'fail') ? 'fail' : 'warning'
  const details = faults.map(({ where, reason }) => `${where}: ${reason}`)
  return say(
    'links',
    verdict,
    `${faults.length} of ${count(links, 'link')} not usable by recipients.`,
    details,
  )
}

function checkImages(images: readonly HtmlImage[], { attachments }: Mail): Found {
  if (images.length === 0) return null
  const ids = new Set(attachments.map(({ content_id }) => content_id))
  const broken = images.flatMap(({ src }) => {
    if (src === '') return ['an image without src']
    const id = /^cid:(.*)$/i.exec(src)?.[1]
    if (id !== undefined) return ids.has(decoded(id)) ? [] : [`${src}: the mail has no such part`]
    return /^(?:https?|data):|^(?:\{\{|\{%|<%)/i.test(src) ? [] : [`${src}: no mail client can load it`]
  })
  return broken.length === 0
    ? say('images', 'pass', `${count(images, 'image')}, each with a source that can be loaded.`)
    : say('images', 'fail', `${broken.length} of ${count(images, 'image')} cannot be shown.`, broken)
}

function checkAlternatives(images: readonly HtmlImage[]): Found {
  const seen = images.filter(({ isPixel }) => !isPixel)
  if (seen.length === 0) return null
  const without = seen.filter(({ alt }) => alt === null)
  return without.length === 0
    ? say('image-alternatives', 'pass', 'Every image has an alt text.')
    : say(
        'image-alternatives',
        'warning',
        `${without.length} of ${count(seen, 'image')} without an alt text: screen readers and clients that block images show nothing.`,
        without.map(({ src }) => src || 'an image without src'),
      )
}

function checkPixels(images: readonly HtmlImage[]): Found {
  const pixels = images.filter(({ isPixel }) => isPixel)
  return pixels.length === 0
    ? null
    : say('tracking-pixel', 'info', 'An image of one pixel tracks when the mail is opened.', [
        ...new Set(pixels.map(({ src }) => src)),
      ])
}

function checkUnsubscription({ type, list_unsubscribe: found, size_bytes }: Mail): Found {
  if (size_bytes === 0) return null
  if (type !== 'broadcast' && !found) return null
  if (!found) return say('list-unsubscribe', 'fail', 'A broadcast must have a List-Unsubscribe field.')
  if (found.one_click)
    return say('list-unsubscribe', 'pass', 'List-Unsubscribe supports one-click unsubscription.', found.urls)
  const verdict = type === 'broadcast' ? 'fail' : 'info'
  return say(
    'list-unsubscribe',
    verdict,
    'List-Unsubscribe does not support one-click unsubscription (RFC 8058).',
    found.urls,
  )
}

function linksOfTextOnly({ html, links }: Mail): readonly { href: string; text: string }[] {
  return html === '' ? links : []
}

function say(name: string, verdict: Check['verdict'], message: string, details: string[] = []): Check {
  return { name, verdict, message, details }
}

function count(items: readonly unknown[], word: string): string {
  return `${items.length} ${word}${items.length === 1 ? '' : 's'}`
}

function cut(text: string): string {
  return text.length > 300 ? `${text.slice(0, 299)}…` : text
}

function decoded(contentId: string): string {
  try {
    return decodeURIComponent(contentId)
  } catch {
    return contentId
  }
}
