import type { EmailListItem } from '../../src/index.ts'
import type { Started } from '../cli/command.ts'

/** How often each subject is in the list of emails of a running command. */
export async function inboxOf(command: Started): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (let cursor: string | null = ''; cursor !== null;) {
    const response = await fetch(`${command.url}/v1/emails?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${command.apiKey}` },
    })
    const page = (await response.json()) as { emails: EmailListItem[]; cursor: string | null }
    for (const { subject } of page.emails) counts.set(subject, (counts.get(subject) ?? 0) + 1)
    cursor = page.cursor
  }
  return counts
}
