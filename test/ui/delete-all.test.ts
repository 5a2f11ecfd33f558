import { createSSRApp, defineComponent, h, ref } from 'vue'
import { renderToString } from 'vue/server-renderer'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type Api, ApiError } from '../../ui/composables/api.ts'
import type { ActionParts, Actions } from '../../ui/views/inbox/actions.ts'
import { mentionedDomains, removeExtras } from '../../ui/views/inbox/delete-extras.ts'
import { provideUndo } from '../../ui/views/inbox/undo.ts'

/** The domains of a server, by id; the created ones are kept. */
function serverWith(
  domains: readonly { id: string; is_created: boolean }[],
  failing: Record<string, number> = {},
) {
  const asked: string[] = []
  const api = {
    read: (async (path: string) => {
      const from = Number(new URL(path, 'http://x').searchParams.get('cursor') ?? 0)
      const end = from + 500
      return { domains: domains.slice(from, end), cursor: end < domains.length ? String(end) : null }
    }) as Api['read'],
    write: (async (method: string, path: string) => {
      asked.push(`${method} ${path}`)
      const status = failing[path]
      if (status !== undefined) throw new ApiError(status, 'not_found', `It failed with ${status}.`)
    }) as Api['write'],
  }
  return { api, asked }
}
const seenIn = (length: number) =>
  Array.from({ length }, (_, at) => ({ id: `dom_${at}`, is_created: at % 2 === 1 }))

test('all domains that mail mentioned are deleted, on all pages, though another tab deletes some of them', async () => {
  const { api, asked } = serverWith(seenIn(1201), { 'dev/domains/dom_2': 404 })
  expect(await mentionedDomains(api)).toHaveLength(601)
  await removeExtras(api, { traffic: true, deliveries: true, domains: true })
  expect(asked).toHaveLength(603)
  expect(asked.slice(-3)).toEqual([
    'DELETE dev/domains/dom_1200',
    'DELETE dev/webhooks/deliveries',
    'POST dev/reset',
  ])
})

test('what is not chosen stays, and what cannot be deleted is said', async () => {
  const { api, asked } = serverWith(seenIn(3), { 'dev/domains/dom_0': 503 })
  await removeExtras(api, { traffic: false, deliveries: false, domains: false })
  expect(asked).toEqual([])
  await expect(removeExtras(api, { traffic: false, deliveries: false, domains: true })).rejects.toThrow(
    'It failed with 503.',
  )
})

test('after all mail is deleted the list is empty, even if something else cannot be deleted', async () => {
  vi.stubGlobal('matchMedia', () => ({ matches: true }))
  onTestFinished(() => void vi.unstubAllGlobals())
  const { useActions } = await import('../../ui/views/inbox/actions.ts')
  const done: string[] = []
  const note = (what: string) => async (): Promise<void> => void done.push(what)
  const parts = {
    api: { removeAll: note('remove') },
    inbox: {
      counted: note('count'),
      shown: ref(''),
      mails: ref(3),
      counting: ref(false),
      load: note('load'),
    },
    open: {},
    selection: { clear: () => done.push('clear') },
    go: () => done.push('go'),
    askAll: async () => () => Promise.reject(new Error('Only an admin may do that.')),
  } as unknown as ActionParts
  const actions = await within(() => useActions(parts))
  await actions.removeAll()
  expect(done).toEqual(['count', 'remove', 'clear', 'go', 'load'])
  expect(actions.problem.value).toBe('Only an admin may do that.')
})

/** Makes the actions where a page has them: below a component with the removals that can be undone. */
async function within(make: () => Actions): Promise<Actions> {
  let made: Actions | undefined
  const inner = defineComponent(() => ((made = make()), () => null))
  const outer = defineComponent(() => (provideUndo({} as Api), () => h(inner)))
  await renderToString(createSSRApp(outer))
  return made as Actions
}
