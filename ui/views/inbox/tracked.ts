/** The URLs that a recipient's copy of a tracked mail would request when it is read. */
export interface Tracked {
  /** Path of the opening's picture on this instance; null if the copy has none. */
  pixel: string | null
  /** The tracked links: their path on this instance, and their words. */
  links: { path: string; text: string }[]
}

/**
 * Reads the tracking addresses out of a copy's HTML. The HTML is parsed into a document without a window: nothing of
 * it runs or loads. Only the end of an address counts, relative to the page, so that a mail cannot send the reader
 * elsewhere.
 */
export function readTracked(html: string): Tracked {
  const parsed = new DOMParser().parseFromString(html, 'text/html')
  const pixels = [...parsed.querySelectorAll('img[src]')].flatMap((image) =>
    pathOf(image.getAttribute('src'), /(?:^|\/)((?:a\/acc_[a-z0-9]{22}\/)?t\/o\/[\w.~-]{1,2000})$/),
  )
  const links = [...parsed.querySelectorAll('a[href], area[href]')].slice(0, 1000).flatMap((link) =>
    pathOf(link.getAttribute('href'), /(?:^|\/)((?:a\/acc_[a-z0-9]{22}\/)?t\/c\/[\w.~-]{1,8000})$/).map(
      (path) => ({
        path,
        text: (link.textContent ?? '').replace(/\s+/g, ' ').trim().slice(0, 200),
      }),
    ),
  )
  return { pixel: pixels.at(-1) ?? null, links }
}

function pathOf(address: string | null, form: RegExp): string[] {
  if (address === null || !URL.canParse(address, location.origin)) return []
  const [, path] = form.exec(new URL(address, location.origin).pathname) ?? []
  return path === undefined ? [] : [path]
}
