import { z } from 'zod'
import { isId } from '../core/ids.ts'
import type { ListedMail } from '../inbox/types.ts'
import { readAnswer, type Remote } from './remote.ts'

/** What an export, an import and a check need of a mail. */
type MatchingMail = Pick<ListedMail, 'id' | 'subject' | 'size_bytes'>

/** All mails of a running Localpost that match a query, newest first. */
export async function* matchingMails(remote: Remote, query: string): AsyncGenerator<MatchingMail> {
  let cursor: string | null = null
  do {
    const page: z.output<typeof listSchema> = await listPage(remote, { query, cursor, limit: 500 })
    yield* page.emails
    cursor = page.cursor
  } while (cursor !== null)
}

const listSchema = z.object({
  count: z.number(),
  cursor: z.string().nullable(),
  emails: z.array(
    z.object({
      // Ids become file names, so a value that is not an id could lead out of the folder.
      id: z.string().refine((id) => isId('em', id)),
      subject: z.string(),
      size_bytes: z.number(),
    }),
  ),
})

/** One page of them, with how many match. */
export async function listPage(
  remote: Remote,
  { query, cursor, limit }: { query: string; cursor: string | null; limit: number },
): Promise<z.output<typeof listSchema>> {
  const wanted = new URLSearchParams({ query, limit: String(limit), ...(cursor !== null && { cursor }) })
  const complaint = 'is not a Localpost: it did not answer with a list of mail.'
  return await readAnswer(remote, listSchema, complaint, `/dev/inbox?${wanted.toString()}`)
}
