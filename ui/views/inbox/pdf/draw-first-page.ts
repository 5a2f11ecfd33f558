import type { PdfAnswer, PdfRequest } from './pdf-worker.ts'

/**
 * Draws the first page of a PDF in a worker of its own, which ends with it: whatever the PDF does, it does it there, without
 * a connection and for a few seconds.
 *
 * @param pdf  Given to the worker: it is empty afterwards.
 * @param longerSide  Of the picture, in pixels.
 * @throws Error when the PDF cannot be read, is encrypted, or takes too long.
 */
export function drawFirstPage(
  pdf: ArrayBuffer,
  longerSide: number,
  signal: AbortSignal,
): Promise<ImageBitmap> {
  signal.throwIfAborted()
  const worker = new Worker(new URL('./pdf-worker.ts', import.meta.url), { type: 'module' })
  let timer: ReturnType<typeof setTimeout> | undefined
  const ended = new AbortController()
  const answered = new Promise<ImageBitmap>((resolve, reject) => {
    const failAfter = (ms: number): void => {
      clearTimeout(timer)
      timer = setTimeout(() => reject(new Error('The PDF took too long.')), ms)
    }
    failAfter(loadingMs)
    const { signal: end } = ended
    signal.addEventListener('abort', () => reject(signal.reason), { signal: end })
    worker.addEventListener('error', () => reject(new Error('The PDF could not be drawn.')), { signal: end })
    worker.addEventListener('message', ({ data }: MessageEvent<Partial<PdfAnswer>>) => {
      if (data.kind === 'loaded') {
        failAfter(drawingMs)
        worker.postMessage({ pdf, longerSide } satisfies PdfRequest, [pdf])
      } else if (data.kind === 'drawn' && data.picture) resolve(data.picture)
      else if (data.kind === 'failed') reject(new Error(data.reason))
    })
  })
  return answered.finally(() => {
    clearTimeout(timer)
    ended.abort()
    worker.terminate()
  })
}

const loadingMs = 20_000
const drawingMs = 5_000
