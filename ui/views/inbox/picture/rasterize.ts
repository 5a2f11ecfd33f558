/**
 * Draws an SVG image into a canvas.
 *
 * @param size  `width` and `height` in CSS pixels, and how many pixels of the picture one of them is.
 * @throws Error with a sentence for the reader, where the browser cannot do it, or `signal` ends it.
 */
export async function rasterize(
  svg: string,
  { width, height, scale }: { width: number; height: number; scale: number },
  signal: AbortSignal,
): Promise<Blob> {
  const image = new Image()
  // Not a `blob:` URL: a canvas with an image of one may not be read.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`
  await Promise.race([image.decode().catch(() => failWith(unsupported)), whenAborted(signal)])
  const canvas = document.createElement('canvas')
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  const context = canvas.getContext('2d')
  if (!context) return failWith(unsupported)
  context.drawImage(image, 0, 0, canvas.width, canvas.height)
  const png = await new Promise<Blob | null>((resolve, reject) => {
    try {
      canvas.toBlob(resolve, 'image/png')
    } catch (error) {
      // A browser that takes every such image for one of another server.
      reject(error instanceof DOMException ? new Error(unsupported) : error)
    }
  })
  return png ?? failWith(unsupported)
}

const unsupported =
  'This browser cannot save the mail as a picture. Print it as PDF, or open this page in another browser.'
function failWith(words: string): never {
  throw new Error(words)
}

const whenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    const end = (): void => reject(new Error('The picture was not ready in time.'))
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
  })
