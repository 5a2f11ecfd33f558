import { attributeOf, type HtmlNode } from './html-tree.ts'

/** The content that a reader allowed to load over http(s): nothing, images, or images, fonts and style sheets. */
export type RemoteContent = 'none' | 'images' | 'all'

/** Whether a `<link>` shows a style sheet of a server. All others connect without showing anything. */
export function isRemoteStylesheet(element: HtmlNode): boolean {
  const isSheet = attributeOf(element, 'rel')?.trim().toLowerCase() === 'stylesheet'
  return isSheet && /^(?:https?:)?[\\/]{2}/i.test(attributeOf(element, 'href')?.trim() ?? '')
}
