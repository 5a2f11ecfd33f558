import type { Ref } from 'vue'
import type { Mail } from '../../../src/inbox/types.ts'
import { useCommands } from '../../composables/commands.ts'
import { clients, type FrameView } from './frame-view.ts'

/** Adds a command for each mail client that an HTML mail can be shown as, and one for five of them side by side. */
export function useViewCommands(
  view: FrameView,
  mail: Readonly<Ref<Mail | null>>,
  show: { html(): void; sheet(): void },
): void {
  const isOn = (): boolean => Boolean(mail.value?.html.trim())
  useCommands().add([
    ...clients.map(({ value, words }) => ({
      id: `as-${value || 'sent'}`,
      words: `View ${value === '' ? 'as sent' : `as ${words}`}`,
      group: 'Mail' as const,
      isOn,
      run() {
        view.client = value
        show.html()
      },
    })),
    { id: 'clients', words: 'View as five clients side by side', group: 'Mail', isOn, run: show.sheet },
  ])
}
