import { bodyOf, freezeWindowHeight, measure, rootOf } from './frame-size.ts'
import { openLink, readLink, type MailLink, type OwnAddresses } from './mail-link.ts'

/** The callbacks for the frame of a mail. The mail itself runs no scripts, so the page handles its events. */
export interface FrameHandlers {
  /** Returns the addresses of this instance; called for each link. */
  own(): OwnAddresses
  /** Called when the pointer or the focus enters a link, with null when it leaves. `href` is the address as written. */
  onLink(link: MailLink | null, href: string): void
  /** Called with the size that shows the whole mail. */
  onSize(size: { width: number; height: number }): void
}

/**
 * Opens the links of a mail in new tabs, and reports the size that the mail needs, from the moment that the document
 * exists.
 *
 * A mail may name elements after members of `document` and hide these (DOM clobbering), so the members of the
 * prototypes are called.
 *
 * @returns A function that stops this.
 */
export function watchFrame(frame: HTMLIFrameElement, handlers: FrameHandlers): () => void {
  let attached: Document | null = null
  let looking = 0
  const end = new AbortController()
  const { signal } = end
  const watcher = new ResizeObserver(() => handlers.onSize(measure(frame)))

  function look(): void {
    const { contentDocument: content, contentWindow: view } = frame
    const root = content && rootOf(content)
    if (content && root && view?.location.href !== 'about:blank') {
      if (attached !== content) attach(content)
      watcher.observe(root)
      const body = bodyOf(content)
      if (body) watcher.observe(body)
      if (body && isParsed(frame)) {
        freezeWindowHeight(content)
        return handlers.onSize(measure(frame))
      }
    }
    looking = requestAnimationFrame(look)
  }

  function attach(content: Document): void {
    attached = content
    const on = (type: string, listener: (event: Event) => void): void =>
      EventTarget.prototype.addEventListener.call(content, type, listener, { capture: true, signal })
    const report = (event: Event): void => {
      const link = linkOf(event)
      if (link) handlers.onLink(read(link, handlers.own()), hrefOf(link))
      else handlers.onLink(null, '')
    }
    on('click', (event) => follow(event, handlers))
    on('auxclick', (event) => follow(event, handlers))
    on('submit', (event) => event.preventDefault())
    on('mouseover', report)
    on('mouseleave', report)
    on('focusin', report)
    on('focusout', () => handlers.onLink(null, ''))
    on('keydown', (event) => handOn(event, frame))
  }

  look()
  frame.addEventListener('load', look, { signal })
  return () => {
    end.abort()
    cancelAnimationFrame(looking)
    watcher.disconnect()
  }
}

function follow(event: Event, { own }: FrameHandlers): void {
  const element = linkOf(event)
  if (!element) return
  event.preventDefault()
  const { button, shiftKey } = event as MouseEvent
  if (button > 1) return
  const href = hrefOf(element).trim()
  if (href.startsWith('#')) return scrollTo(element, href.slice(1))
  const link = read(element, own())
  // With Shift a tracked link opens without counting.
  if (link) openLink(shiftKey ? (link.target ?? link.href) : link.href)
}

/** Scrolls to a place in the same mail. The frame has no scroll area, so the page scrolls. */
function scrollTo(link: Element, name: string): void {
  const quoted = CSS.escape(name)
  const place = name && link.closest(':root')?.querySelector(`[id="${quoted}"], a[name="${quoted}"]`)
  if (place) Element.prototype.scrollIntoView.call(place)
}

/** Passes keys to the page, so that its shortcuts work while the focus is in the mail. */
function handOn(event: Event, frame: HTMLIFrameElement): void {
  const { key, code, ctrlKey, metaKey, altKey, shiftKey } = event as KeyboardEvent
  if (key.length > 1 && key !== 'Escape') return
  if (key === ' ' || closest(event, 'input, textarea, select')) return
  const init = { key, code, ctrlKey, metaKey, altKey, shiftKey, bubbles: true, cancelable: true }
  if (!frame.dispatchEvent(new KeyboardEvent('keydown', init))) event.preventDefault()
}

const isParsed = ({ contentDocument }: HTMLIFrameElement): boolean =>
  Reflect.get(Document.prototype, 'readyState', contentDocument) !== 'loading'
const read = (link: Element, own: OwnAddresses): MailLink | null =>
  readLink(hrefOf(link), link.textContent ?? '', own)
const hrefOf = (link: Element): string => link.getAttribute('href') ?? link.getAttribute('xlink:href') ?? ''
const linkOf = (event: Event): Element | null => closest(event, 'a, area')

/** The element around an event, also of one in a shadow tree. Only forms and the document can hide their members. */
function closest(event: Event, selector: string): Element | null {
  const [target] = event.composedPath()
  try {
    return Element.prototype.closest.call(target, selector)
  } catch {
    // The document, or the window.
    return null
  }
}
