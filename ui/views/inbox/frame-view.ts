import { inject, provide, reactive, watch, type InjectionKey } from 'vue'
import type { PreviewClient } from '../../../src/client-support/preview-clients.ts'
import type { Appearance } from '../../../src/reading/appearance.ts'
import { readStored, writeStored } from '../../composables/stored.ts'

/** The widths to show a mail at, in pixels. `full` fills the panel. */
export const widths = [
  { value: 'full', words: 'Full' },
  { value: '320', words: '320', title: '320 pixels: a small phone' },
  { value: '375', words: '375', title: '375 pixels: a phone' },
  { value: '768', words: '768', title: '768 pixels: a tablet' },
] as const
export type FrameWidth = (typeof widths)[number]['value']

/** The appearances to show a mail in. */
export const looks: readonly { value: Look; words: string; title: string }[] = [
  { value: 'light', words: 'Light', title: 'As a client in light mode shows it' },
  {
    value: 'dark',
    words: 'Dark',
    title: "Dark, with the mail's own styles for prefers-color-scheme",
  },
  {
    value: 'inverted',
    words: 'Dark, inverted',
    title: 'Dark, as in clients that invert the colours of every mail: Outlook for Windows, Gmail on iOS',
  },
]
export type Look = Appearance

/** The mail clients whose view of a mail can be shown; `''` shows the mail as it was sent. */
export const clients: readonly { value: PreviewClient | ''; words: string }[] = [
  { value: '', words: 'As sent' },
  // Those that matter most come first.
  { value: 'outlook/windows', words: 'Outlook for Windows' },
  { value: 'gmail/desktop-webmail', words: 'Gmail, web' },
  { value: 'apple-mail/ios', words: 'Apple Mail, iOS' },
  { value: 'gmail/android', words: 'Gmail, Android' },
  { value: 'outlook/outlook-com', words: 'Outlook.com' },
  { value: 'apple-mail/macos', words: 'Apple Mail, macOS' },
  { value: 'gmail/ios', words: 'Gmail, iOS' },
  { value: 'gmail/mobile-webmail', words: 'Gmail, web on a phone' },
  { value: 'yahoo/desktop-webmail', words: 'Yahoo, web' },
  { value: 'yahoo/android', words: 'Yahoo, Android' },
  { value: 'yahoo/ios', words: 'Yahoo, iOS' },
]

export interface FrameView {
  width: FrameWidth
  look: Look
  /** Not kept for the next visit: a preview must not be mistaken for the mail. */
  client: PreviewClient | ''
}

/** Keeps the view from mail to mail and for the next visit, so that mails can be compared at the same width. */
export function provideFrameView(): FrameView {
  const [width, look] = [readStored('mail-width'), readStored('mail-look')]
  const view = reactive<FrameView>({
    width: widths.find(({ value }) => value === width)?.value ?? 'full',
    look: looks.find(({ value }) => value === look)?.value ?? 'light',
    client: '',
  })
  watch(view, (changed) => {
    writeStored('mail-width', changed.width)
    writeStored('mail-look', changed.look)
  })
  provide(key, view)
  return view
}

/** Switches to the next width in the list; after the last one to the first. */
export function widen(view: FrameView): void {
  const at = widths.findIndex(({ value }) => value === view.width)
  view.width = widths[(at + 1) % widths.length]?.value ?? 'full'
}

export function useFrameView(): FrameView {
  const view = inject(key)
  if (!view) throw new Error('There is no pane above this panel.')
  return view
}

const key: InjectionKey<FrameView> = Symbol('frame view')
