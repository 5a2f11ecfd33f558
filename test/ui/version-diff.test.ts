import { expect, it, onTestFinished, vi } from 'vitest'
import { compareVersions } from '../../ui/views/templates/version-diff.ts'

const { signal } = new AbortController()
const version = (
  subject: string | null,
  html: string | null,
  text: string | null,
): { subject: string | null; html: string | null; text: string | null } => ({ subject, html, text })

it('lists the parts in which two versions of a template differ, with their lines', async () => {
  const before = version('Hi', '<p>\r\n<b>one</b>', null)
  const after = version('Hi', '<p>\n<b>two</b>', 'New')
  expect(await compareVersions(before, after, signal)).toEqual([
    {
      label: 'HTML',
      section: {
        same: false,
        added: 1,
        removed: 1,
        clipped: false,
        lines: [
          { kind: 'same', text: '<p>' },
          { kind: 'removed', text: '<b>one</b>' },
          { kind: 'added', text: '<b>two</b>' },
        ],
      },
    },
    {
      label: 'Text',
      section: { same: false, added: 1, removed: 0, clipped: false, lines: [{ kind: 'added', text: 'New' }] },
    },
  ])
  expect(await compareVersions(after, after, signal)).toEqual([])
  expect(await compareVersions(version('', '', ''), version(null, null, null), signal)).toEqual([])
})

it('yields while it compares long templates, and can be cancelled then', async () => {
  // Each look at the clock ends a turn, however fast the machine is.
  let ms = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (ms += 20))
  onTestFinished(() => clock.mockRestore())
  const long = (of: string): string =>
    [of, ...Array<string>(60_000).fill('x'), ...Array.from({ length: 2000 }, (_, at) => `${of} ${at}`)].join(
      '\n',
    )
  const stopped = new AbortController()
  setTimeout(() => stopped.abort())
  const work = compareVersions(version('', long('a'), ''), version('', long('b'), ''), stopped.signal)
  await expect(work).rejects.toThrow('aborted')
})
