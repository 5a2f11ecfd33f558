import { ref } from 'vue'
import { readStored, writeStored } from '../../composables/stored.ts'
import { splitAddress } from '../../composables/words.ts'

/** Whose mails load remote content without a question: those of this sender, of this domain, or all. */
export type Scope = 'sender' | 'domain' | 'all'

/**
 * What a mail would load over http(s), in words; `[]` if nothing. Tracking pixels, which are never loaded here, do not
 * count. The HTML is parsed into a document without a window: nothing of it runs or loads.
 */
export function remoteKinds(html: string): string[] {
  if (!/(?:https?:)?\/\//i.test(html)) return []
  // A mail of this size takes too long to parse, and almost certainly has images.
  if (html.length > longestParsed) return ['images']
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  const css = [...parsed.querySelectorAll('style')].map((style) => style.textContent ?? '').join('\n')
  const styles = [...parsed.querySelectorAll('[style]')].map((one) => one.getAttribute('style') ?? '')
  const fontFaces = css.match(/@font-face\s{0,9}\{[^}]{0,5000}/gi) ?? []
  const plainCss = css.replace(/@font-face\s{0,9}\{[^}]{0,5000}/gi, '').replace(importRule, '')
  const kinds = {
    images:
      [...parsed.querySelectorAll('img, source, image, video, input[type=image], [background]')].some(
        loads,
      ) || [plainCss, ...styles].some((one) => remoteUrl.test(one)),
    fonts: fontFaces.some((face) => remoteUrl.test(face)),
    'style sheets':
      css.search(importRule) >= 0 ||
      [...parsed.querySelectorAll('link[rel=stylesheet i]')].some((link) => isRemote(link, 'href')),
  }
  return Object.entries(kinds).flatMap(([kind, isThere]) => (isThere ? [kind] : []))
}

/** The senders and domains whose remote content the user allowed, kept for the next visit. */
export function useConsent(): {
  /** Why the content of this sender is loaded; null if the page must ask first. */
  scopeOf(from: string): Scope | null
  allow(scope: Scope, from: string): void
  /** Asks again for this sender, whatever allowed it. */
  revoke(from: string): void
} {
  const allowed = ref(new Set(readStored(name)?.split('\n').filter(Boolean)))
  const scopes = ['sender', 'domain', 'all'] as const
  const keep = (next: Set<string>): void => {
    allowed.value = new Set([...next].slice(-mostKept))
    writeStored(name, [...allowed.value].join('\n') || null)
  }
  return {
    scopeOf: (from) => scopes.find((scope) => allowed.value.has(entryOf(scope, from))) ?? null,
    allow: (scope, from) => keep(new Set([...allowed.value, entryOf(scope, from)])),
    revoke: (from) =>
      keep(
        new Set([...allowed.value].filter((one) => !scopes.some((scope) => entryOf(scope, from) === one))),
      ),
  }
}

/** The domain of a sender; `""` without one. */
export const domainOf = (from: string): string =>
  splitAddress(from).address.toLowerCase().split('@').at(1) ?? ''

const name = 'remote-content'
const mostKept = 500
const longestParsed = 3_000_000
const importRule = /@import\s{1,9}(?:url\(\s{0,9})?["']?(?:https?:)?\/\//i
const remoteUrl = /(?:url|image-set)\(\s{0,9}["']?(?:https?:)?\/\//i

function entryOf(scope: Scope, from: string): string {
  if (scope === 'all') return '*'
  return scope === 'domain' ? `@${domainOf(from)}` : `=${splitAddress(from).address.toLowerCase()}`
}

const isRemote = (element: Element, attribute: string): boolean =>
  /^\s{0,9}(?:https?:)?\/\//i.test(element.getAttribute(attribute) ?? '')

function loads(element: Element): boolean {
  if (/^\s*(?:https?:)?\/\/\S+|[\s,](?:https?:)?\/\//i.test(element.getAttribute('srcset') ?? '')) return true
  const addresses = ['src', 'href', 'xlink:href', 'poster', 'background']
  return addresses.some((attribute) => isRemote(element, attribute)) && !isPixel(element)
}

function isPixel(element: Element): boolean {
  if (/\/t\/o\/[\w.~-]+$/.test(element.getAttribute('src') ?? '')) return true
  return ['width', 'height'].every((side) => /^\s*[01](?:px)?\s*$/.test(element.getAttribute(side) ?? ''))
}
