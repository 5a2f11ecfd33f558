import { ref, type Ref } from 'vue'
import type { MailSummary } from '../../../src/inbox/types.ts'
import { spellOverrides, splitAddress } from '../../composables/words.ts'

/** Puts new mail into words for screen readers: `said` belongs in a live region. */
export function useAnnouncements(): { said: Ref<string>; announce(mails: MailSummary[]): void } {
  const said = ref('')
  function announce(mails: MailSummary[]): void {
    const [mail] = mails
    if (!mail) return
    const { name, address } = splitAddress(mail.from)
    said.value = spellOverrides(
      mails.length > 1
        ? `${mails.length} new mails`
        : `New mail from ${name || address}: ${mail.subject || 'No subject'}`,
    )
  }
  return { said, announce }
}
