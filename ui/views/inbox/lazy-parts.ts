import { type Component, defineAsyncComponent } from 'vue'
import { idle } from '../../composables/idle.ts'
import PartFailure from './PartFailure.vue'

// Every part registers its loader here, to be fetched ahead.
const loaders: (() => Promise<unknown>)[] = []

/** Shown as soon as there is mail, so that they are loaded with the page. */
export { default as ListSplitter } from './ListSplitter.vue'
export { default as UndoBar } from './UndoBar.vue'

/** The rarely used parts of a mail, which are not loaded with the page. They are one file. */
export const AttachmentsPanel = lazy(() => import('./AttachmentsPanel.vue'))
export const FileStrip = lazy(() => import('./FileStrip.vue'))
export const InvitationCard = lazy(() => import('./InvitationCard.vue'))
export const CompareView = lazy(() => import('./compare/CompareView.vue'))
export const DeliveryReportCard = lazy(() => import('./DeliveryReportCard.vue'))
export const NestedDialog = lazy(() => import('./NestedDialog.vue'))
export const ChecksPanel = lazy(() => import('./ChecksPanel.vue'))
export const EventsPanel = lazy(() => import('./EventsPanel.vue'))
export const HeadersPanel = lazy(() => import('./HeadersPanel.vue'))
export const BroadcastLine = lazy(() => import('./BroadcastLine.vue'))
export const BulkBar = lazy(() => import('./BulkBar.vue'))
export const BulkProgress = lazy(() => import('./BulkProgress.vue'))
export const FaultsNote = lazy(() => import('./FaultsNote.vue'))
export const DeleteExtras = lazy(() => import('./DeleteExtras.vue'))
export const LinkCard = lazy(() => import('./LinkCard.vue'))
export const LinkList = lazy(() => import('./LinkList.vue'))
export const MailDetails = lazy(() => import('./MailDetails.vue'))
export const FrameworkCode = lazy(() => import('./FrameworkCode.vue'))
export const WhyMissing = lazy(() => import('./WhyMissing.vue'))
export const ClientSheet = lazy(() => import('./ClientSheet.vue'))
export const TestMail = lazy(() => import('./TestMail.vue'))
export const PreviewNote = lazy(() => import('./PreviewNote.vue'))
export const SourcePanel = lazy(() => import('./SourcePanel.vue'))
export const RecipientDialog = lazy(() => import('./RecipientDialog.vue'))
export const ReleaseDialog = lazy(() => import('./ReleaseDialog.vue'))
export const TagDialog = lazy(() => import('./TagDialog.vue'))

/**
 * Fetches all of them soon after a mail was opened, so that an open mail stays usable when Localpost is stopped: one after
 * the other, while the page has nothing else to do. In the built page these are one script and its styles.
 */
export async function fetchAhead(): Promise<void> {
  for (const load of loaders) {
    await idle()
    await load().catch(() => undefined)
  }
}

function lazy<Part extends Component>(loader: () => Promise<{ default: Part }>): Part {
  loaders.push(loader)
  return defineAsyncComponent({
    loader: async () => (await loader()).default,
    errorComponent: PartFailure,
  })
}
