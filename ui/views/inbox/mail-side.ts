import { computed, ref, type Ref, type WritableComputedRef } from 'vue'
import type { EventStatus } from '../../../src/emails/types.ts'
import type { Mail } from '../../../src/inbox/types.ts'
import { type MailTab, mailTabs } from './tabs.ts'

/** The side of a mail that is shown: one of the tabs that have content. */
export interface MailSide {
  tab: WritableComputedRef<MailTab>
  /** The tabs that have content. */
  offered: Readonly<Ref<MailTab[]>>
  /** The status of the recipients whose events are shown; `''` for all. */
  eventStatus: Ref<EventStatus | ''>
  showEvents(status?: EventStatus | ''): void
  /** For the next mail. Tabs such as Source and Events stay, for comparing mails; a body is shown in its best form. */
  onNextMail(): void
}

export function useMailSide(mail: Readonly<Ref<Mail | null>>): MailSide {
  const chosen = ref<MailTab | null>(null)
  const eventStatus = ref<EventStatus | ''>('')
  /** The first tab that has content. */
  const fullest = computed<MailTab>(() => {
    if (mail.value?.html.trim()) return 'HTML'
    if (mail.value?.text.trim()) return 'Text'
    return mail.value?.attachments.length ? 'Attachments' : 'Source'
  })
  const offered = computed(() => mailTabs.filter((one) => !isEmpty[one]?.()))
  const isEmpty: { readonly [Tab in MailTab]?: () => boolean } = {
    HTML: () => !mail.value?.html.trim(),
    Text: () => !mail.value?.text.trim(),
    Attachments: () => !mail.value?.attachments.length,
  }
  const tab = computed<MailTab>({
    get: () => (chosen.value && offered.value.includes(chosen.value) ? chosen.value : fullest.value),
    set(value) {
      chosen.value = value
      eventStatus.value = ''
    },
  })
  return {
    tab,
    offered,
    eventStatus,
    showEvents(status = '') {
      chosen.value = 'Events'
      eventStatus.value = status
    },
    onNextMail() {
      eventStatus.value = ''
      if (chosen.value === 'HTML' || chosen.value === 'Text' || chosen.value === 'Attachments')
        chosen.value = null
    },
  }
}
