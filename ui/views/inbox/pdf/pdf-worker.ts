import { AnnotationMode, getDocument, VerbosityLevel } from 'pdfjs-dist/legacy/build/pdf.mjs'
// Registers the parser: with it in place, the library starts no further worker.
import 'pdfjs-dist/legacy/build/pdf.worker.mjs'

/** What the worker is asked: the bytes of a PDF, and the longer side of the picture in pixels. */
export interface PdfRequest {
  pdf: ArrayBuffer
  longerSide: number
}

/** What the worker answers: first that it is loaded, then the picture of the first page, or why there is none. */
export type PdfAnswer =
  | { kind: 'loaded' }
  | { kind: 'drawn'; picture: ImageBitmap }
  | { kind: 'failed'; reason: string }

// The parser registers a listener of its own, which speaks another protocol: each side ignores the other's messages.
addEventListener('message', ({ data }: MessageEvent<Partial<PdfRequest>>) => {
  if (data.pdf && data.longerSide) void answer(data.pdf, data.longerSide)
})
tell({ kind: 'loaded' })

async function answer(pdf: ArrayBuffer, longerSide: number): Promise<void> {
  try {
    const picture = await drawFirstPage(pdf, longerSide)
    tell({ kind: 'drawn', picture }, [picture])
  } catch (error) {
    tell({ kind: 'failed', reason: String(error) })
  }
}

async function drawFirstPage(pdf: ArrayBuffer, longerSide: number): Promise<ImageBitmap> {
  // An encrypted document fails here, unless its password is empty.
  const document = await getDocument({ ...limits, data: pdf, ...withoutDocument }).promise
  const page = await document.getPage(1)
  const { width, height } = page.getViewport({ scale: 1 })
  const scale = longerSide / Math.max(width, height)
  const canvas = new OffscreenCanvas(atLeastOne(width * scale), atLeastOne(height * scale))
  await page.render({
    canvas: canvas as unknown as HTMLCanvasElement,
    viewport: page.getViewport({ scale }),
    annotationMode: AnnotationMode.ENABLE,
  }).promise
  return canvas.transferToImageBitmap()
}

const atLeastOne = (pixels: number): number => Math.max(1, Math.round(pixels))

/** No code of the document, no requests, no fonts given to the browser; images up to 16 megapixels. */
const limits = {
  isEvalSupported: false,
  enableXfa: false,
  disableFontFace: true,
  useSystemFonts: false,
  useWorkerFetch: false,
  useWasm: false,
  maxImageSize: 16 * 1024 * 1024,
  verbosity: VerbosityLevel.ERRORS,
}

/** Makes canvases without a document. */
class CanvasFactory {
  create(width: number, height: number): { canvas: OffscreenCanvas | null; context: unknown } {
    const canvas = new OffscreenCanvas(width, height)
    return { canvas, context: canvas.getContext('2d', { willReadFrequently: true }) }
  }
  reset({ canvas }: { canvas: OffscreenCanvas }, width: number, height: number): void {
    canvas.width = width
    canvas.height = height
  }
  destroy(made: { canvas: OffscreenCanvas | null; context: unknown }): void {
    made.canvas = null
    made.context = null
  }
}

/** Filters are elements of a document: without them, masks by brightness are drawn as they are. */
class FilterFactory {
  addFilter = none
  addHCMFilter = none
  addAlphaFilter = none
  addLuminosityFilter = none
  addHighlightHCMFilter = none
  destroy(): void {}
}
function none(): string {
  return 'none'
}

const withoutDocument = { CanvasFactory, FilterFactory }

function tell(message: PdfAnswer, transfer: Transferable[] = []): void {
  postMessage(message, { transfer })
}
