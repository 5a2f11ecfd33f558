import { computed, ref, watch, type Ref, type WritableComputedRef } from 'vue'
import type { EventStatus } from '../../../src/emails/types.ts'
import type { Mail } from '../../../src/inbox/types.ts'
import type { Router } from '../../composables/route.ts'
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

/** @param router  The tab is a part of the URL, so that a reload, a link and Back show it. */
export function useMailSide(mail: Readonly<Ref<Mail | null>>, { route, go }: Router): MailSide {
  const tabOf = (): MailTab | null => (route.value.view === 'mail' ? (route.value.tab ?? null) : null)
  const chosen = ref(tabOf())
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
      choose(value)
      eventStatus.value = ''
    },
  })
  function choose(value: MailTab | null): void {
    chosen.value = value
    if (route.value.view !== 'mail') return
    const { tab: _tab, check: _check, ...rest } = route.value
    const isDefault = value === null || (mail.value?.id === rest.id && value === fullest.value)
    go(isDefault ? rest : { ...rest, tab: value }, true)
  }
  // Back, or a link. The next mail of the list names no tab: `onNextMail` decides what it shows.
  watch(
    () => [route.value.view === 'mail' ? route.value.id : null, tabOf()] as const,
    ([id, named], [before]) => {
      if (named !== null || id === before) chosen.value = named
    },
  )
  return {
    tab,
    offered,
    eventStatus,
    showEvents(status = '') {
      choose('Events')
      eventStatus.value = status
    },
    onNextMail() {
      eventStatus.value = ''
      // A tab that the URL of this mail names was asked for.
      if (tabOf() === null) choose(isOfMail(chosen.value) ? null : chosen.value)
    },
  }
}

/** Whether a tab shows what is in this mail, and says little about the next one. */
function isOfMail(tab: MailTab | null): boolean {
  return tab === 'HTML' || tab === 'Text' || tab === 'Attachments'
}
