import { onScopeDispose, shallowReactive, watch, type Ref } from 'vue'
import type { ListedMail } from '../../../src/inbox/types.ts'
import type { Api } from '../../composables/api.ts'
import type { Excerpts } from './excerpts.ts'
import type { RowForm } from './row-form.ts'
import { useMailSearch } from './search-words.ts'

/**
 * The places in texts that the search found, by the ids of mails, for rows that would not show them. What finds them is
 * loaded with the first search for words.
 */
export function useExcerpts(
  api: Pick<Api, 'get'>,
  drawn: Readonly<Ref<readonly { mail: ListedMail | undefined }[]>>,
  form: Readonly<Ref<RowForm>>,
): ReadonlyMap<string, string> {
  const words = useMailSearch()?.words
  const excerpts = shallowReactive(new Map<string, string>())
  let finding: Promise<Excerpts | null> | undefined
  watch([() => words?.value ?? [], drawn, form], async ([sought, rows]) => {
    if (sought.length === 0 && !finding) return
    finding ??= import('./excerpts.ts').then((part) => part.createExcerpts(api, excerpts)).catch(() => null)
    const found = await finding
    found?.look(
      rows.flatMap(({ mail }) => mail ?? []),
      sought,
      // Rows of two lines have no room for the beginning of the text.
      form.value !== 'two',
    )
  })
  onScopeDispose(() => void finding?.then((found) => found?.stop()))
  return excerpts
}
