import { readLength } from '../checks/lengths.ts'
import { fieldOf } from '../core/header-fields.ts'
import type { ListUnsubscribe } from './types.ts'

/**
 * Reads List-Unsubscribe and List-Unsubscribe-Post.
 *
 * @param headers  Decoded; the first field of a name counts. At most {@link maxListUrls} addresses are read.
 * @returns null without an address.
 * @see RFC 2369, RFC 8058
 */
export function readListUnsubscribe(headers: readonly (readonly [string, string])[]): ListUnsubscribe | null {
  const valueOf = (name: string): string => (fieldOf(headers, name) ?? '').slice(0, readLength)
  const urls = [...valueOf('list-unsubscribe').matchAll(/<([^<>]*)>/g)]
    .map(([, url = '']) => url.replace(/\s+/g, ''))
    .filter((url) => /^(?:https?|mailto):./i.test(url))
    .slice(0, maxListUrls)
  if (urls.length === 0) return null
  const isPost = /^\s*List-Unsubscribe=One-Click\s*$/i.test(valueOf('list-unsubscribe-post'))
  return { urls, one_click: isPost && urls.some((url) => /^https?:/i.test(url)) }
}

/** Mails have one or two, and each mail's answer lists them all. */
export const maxListUrls = 20
