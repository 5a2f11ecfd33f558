import { expect, it } from 'vitest'
import { compareVersions } from '../../ui/views/templates/version-diff.ts'

const version = (
  subject: string | null,
  html: string | null,
  text: string | null,
): { subject: string | null; html: string | null; text: string | null } => ({ subject, html, text })

it('lists the parts in which two versions of a template differ, with their lines', () => {
  const before = version('Hi', '<p>\r\n<b>one</b>', null)
  const after = version('Hi', '<p>\n<b>two</b>', 'New')
  expect(compareVersions(before, after)).toEqual([
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
  expect(compareVersions(after, after)).toEqual([])
  expect(compareVersions(version('', '', ''), version(null, null, null))).toEqual([])
})
