import { clientSupport } from './client-support.ts'
import { previewHtml } from './preview.ts'

/** The support of mail clients as work of the thread. */
export const clientSupportJobs: { clientSupport: typeof clientSupport; preview: typeof previewHtml } = {
  clientSupport,
  preview: previewHtml,
}
