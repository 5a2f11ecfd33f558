import { allIn, attributeOf, boxOf, createIn } from './frame-parts.ts'

/** The remote images of a frame, for a picture of it. */
export interface RemoteImages {
  /** `data:` URLs of the images, by the addresses that the frame has. */
  found: ReadonlyMap<string, string>
  /** How many images of the frame could not be read. */
  missing: number
}

/**
 * Reads the remote images that a frame shows. A page may read an image of another server only if that server allows it
 * (CORS), so each is requested again with CORS. The frame requests it, because its policy allows only what the reader
 * agreed to.
 *
 * @param signal  Ends the wait. Images that are not loaded by then are missing.
 */
export async function readRemoteImages(content: Document, signal: AbortSignal): Promise<RemoteImages> {
  const addresses = addressesIn(content)
  const found = new Map<string, string>()
  let missing = Math.max(0, addresses.size - mostImages)
  const wanted = [...addresses].slice(0, mostImages)
  await Promise.all(
    wanted.map(async ([address, size]) => {
      const data = await readImage(content, address, size, signal).catch(() => null)
      if (data === null) missing++
      else found.set(address, data)
    }),
  )
  return { found, missing }
}

const mostImages = 100
const mostPixels = 4_000_000
const remote = /^\s*(?:https?:)?\/\/./i
const fontFace = /@font-face\s{0,9}\{[^}]{0,5000}/gi
const cssAddress = /url\(\s{0,9}["']?((?:https?:)?\/\/[^"')\s]{1,4000})/gi

/** Each address with the largest width at which it is shown; 0 where that is not known. */
function addressesIn(content: Document): Map<string, number> {
  const addresses = new Map<string, number>()
  const add = (address: string | null, width: number): void => {
    if (address && remote.test(address)) addresses.set(address, Math.max(addresses.get(address) ?? 0, width))
  }
  for (const image of allIn(content, 'img, input[type=image i]')) {
    // The frame shows the alternative text of an image that it could not load, and so does the picture.
    if ('naturalWidth' in image && image.naturalWidth === 0) continue
    const { currentSrc } = image as HTMLImageElement
    add(currentSrc || attributeOf(image, 'src'), boxOf(image).width)
  }
  for (const element of allIn(content, '[background]')) add(attributeOf(element, 'background'), 0)
  const css = [
    ...allIn(content, 'style').map(({ textContent }) => (textContent ?? '').replace(fontFace, '')),
    ...allIn(content, '[style*="url" i]').map((element) => attributeOf(element, 'style') ?? ''),
  ]
  for (const text of css) for (const [, address = ''] of text.matchAll(cssAddress)) add(address, 0)
  return addresses
}

async function readImage(
  content: Document,
  address: string,
  shownWidth: number,
  signal: AbortSignal,
): Promise<string> {
  const image = createIn(content, 'img')
  image.crossOrigin = 'anonymous'
  image.referrerPolicy = 'no-referrer'
  await new Promise<void>((resolve, reject) => {
    const fail = (): void => reject(new Error('The image cannot be read.'))
    image.addEventListener('load', () => resolve())
    image.addEventListener('error', fail)
    signal.addEventListener('abort', fail)
    image.src = address
    if (signal.aborted) fail()
  })
  const { naturalWidth, naturalHeight } = image
  if (naturalWidth === 0 || naturalHeight === 0) throw new Error('The image has no size.')
  // Not larger than a screen with two pixels per CSS pixel shows it.
  const byWidth = shownWidth > 0 ? (shownWidth * 2) / naturalWidth : 1
  const byArea = Math.sqrt(mostPixels / (naturalWidth * naturalHeight))
  const scale = Math.min(1, byWidth, byArea)
  const canvas = document.createElement('canvas')
  canvas.width = Math.max(1, Math.round(naturalWidth * scale))
  canvas.height = Math.max(1, Math.round(naturalHeight * scale))
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height)
  return canvas.toDataURL('image/png')
}
