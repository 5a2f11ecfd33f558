import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import type { Expect, TestInfo } from '@playwright/test'
import { assertArguments } from '../core/known-options.ts'
import { mailSnapshot, sayDifference, type MailSnapshotOptions } from '../testing/mail-snapshot.ts'
import { matchers, type Matchers } from '../testing/matchers.ts'
import { assertMail } from '../testing/mails.ts'
import { usageError } from '../testing/lines.ts'

/**
 * Adds the matchers for mail to the `expect` of Playwright. Snapshots of mails are kept where Playwright keeps others,
 * and `--update-snapshots` writes them.
 *
 * @param expect  Of `@playwright/test`, which is not imported here, or one that extends it.
 * @param test  Of the same package, or one that extends it: it tells which test runs.
 * @example
 * import { expect as baseExpect, test as base } from '@playwright/test'
 * import { withLocalpost, withMailMatchers } from 'localpost/playwright'
 * const test = withLocalpost(base)
 * const expect = withMailMatchers(baseExpect, base)
 */
export function withMailMatchers<Extended>(
  expect: Expect<Extended>,
  test: { info(): TestInfo },
): Expect<Extended & Matchers> {
  assertArguments(arguments, 2, 'withMailMatchers()')
  const counts = new WeakMap<object, number>()
  const own: Matchers = {
    ...matchers,
    toMatchMailSnapshot(received, options = {}) {
      assertMail(received, 'toMatchMailSnapshot')
      if (this.isNot === true) throw usageError('toMatchMailSnapshot cannot be used with "not".')
      const text = `${mailSnapshot(received, options)}\n`
      const info = test.info()
      const count = (counts.get(info) ?? 0) + 1
      counts.set(info, count)
      const name = nameOf(info, options, count)
      const path = info.snapshotPath(name)
      const { updateSnapshots } = info.config
      const command = `npx playwright test ${relative(process.cwd(), info.file)} --update-snapshots`
      const said = {
        mail: received,
        key: relative(process.cwd(), path),
        expected: null,
        received: text,
        command,
      }
      // Playwright writes what is missing in CI too, where it is lost.
      const isUpdating = updateSnapshots === 'all' || updateSnapshots === 'changed'
      if (!existsSync(path) && !isUpdating && process.env['CI'])
        return { pass: false, message: () => sayDifference(said) }
      try {
        expect(text).toMatchSnapshot(name)
        return { pass: true, message: () => '' }
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error)
        return { pass: false, message: () => `${message}\nAccept the change: ${command}` }
      }
    },
  }
  return expect.extend(own)
}

/** The file of a snapshot: the names of suites and test, and a number. Playwright makes it a file name. */
function nameOf({ titlePath }: TestInfo, { name }: MailSnapshotOptions, count: number): string {
  const title = titlePath.slice(1).join(' ').slice(0, 80)
  return `${title} ${name ?? `mail ${count}`}.txt`
}
