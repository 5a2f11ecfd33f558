import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import type { Expect, TestInfo } from '@playwright/test'
import { UsageError } from '../core/caller.ts'
import { messageOf } from '../core/errors.ts'
import type { Mail } from '../inbox/types.ts'
import { defaultThreshold, picturesOf, sayMissing } from '../testing/mail-pictures.ts'
import { mailSnapshot, sayDifference } from '../testing/mail-snapshot.ts'
import { matchers, type Matchers } from '../testing/matchers.ts'
import type { Outcome } from '../testing/outcome.ts'
import { assertMail } from '../testing/received.ts'

/**
 * Adds the matchers for mail to the `expect` of Playwright. Snapshots of mails are kept where Playwright keeps others,
 * and `--update-snapshots` writes them.
 *
 * @param expect  The `expect` of `@playwright/test`, which is not imported here, or one that extends it.
 * @param test  The `test` of the same package, or one that extends it. It tells which test runs.
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
  const counts = new WeakMap<object, Map<string, number>>()
  const nextNumber = (info: TestInfo, what: string): number => {
    const known = counts.get(info) ?? new Map<string, number>()
    const number = (known.get(what) ?? 0) + 1
    counts.set(info, known.set(what, number))
    return number
  }
  const assertedMail = (isNot: boolean | undefined, received: unknown, matcher: keyof Matchers): Mail => {
    assertMail(received, matcher)
    if (isNot === true) throw new UsageError(`${matcher} cannot be used with "not".`)
    return received
  }
  const own: Matchers = {
    ...matchers,
    toMatchMailSnapshot(received, options = {}) {
      const mail = assertedMail(this.isNot, received, 'toMatchMailSnapshot')
      const text = `${mailSnapshot(mail, options)}\n`
      const info = test.info()
      const name = `${nameOf(info, options.name ?? `mail ${nextNumber(info, 'text')}`)}.txt`
      const command = commandOf(info)
      if (isLost(info, name)) {
        const key = relative(process.cwd(), info.snapshotPath(name))
        const said = { mail, key, expected: null, received: text, command }
        return { pass: false, message: () => sayDifference(said) }
      }
      return compareAll([() => expect(text).toMatchSnapshot(name)], command)
    },
    async toMatchMailPictures(received, options = {}) {
      const mail = assertedMail(this.isNot, received, 'toMatchMailPictures')
      const info = test.info()
      const about = nameOf(info, options.name ?? `mail ${nextNumber(info, 'pictures')}`)
      const pictures = await picturesOf(mail, options)
      const { threshold = defaultThreshold, maxDiffPixels = 0 } = options
      const compare = pictures.map(({ view, png }) => () => {
        const name = `${about} ${view}.png`
        if (isLost(info, name)) throw new Error(sayMissing(info.snapshotPath(name)))
        expect(png).toMatchSnapshot(name, { threshold, maxDiffPixels })
      })
      return compareAll(compare, commandOf(info))
    },
  }
  return expect.extend(own)
}

/** Playwright writes missing snapshots in CI too, where they are lost. */
function isLost(info: TestInfo, name: string): boolean {
  const { updateSnapshots } = info.config
  const isUpdating = updateSnapshots === 'all' || updateSnapshots === 'changed'
  return !existsSync(info.snapshotPath(name)) && !isUpdating && Boolean(process.env['CI'])
}

function commandOf({ file }: TestInfo): string {
  return `npx playwright test ${relative(process.cwd(), file)} --update-snapshots`
}

/** All comparisons are made, so that all differences are seen at once. */
function compareAll(comparisons: readonly (() => void)[], command: string): Outcome {
  const messages = comparisons.flatMap((compare) => {
    try {
      compare()
      return []
    } catch (error) {
      return [messageOf(error)]
    }
  })
  return {
    pass: messages.length === 0,
    message: () => [...messages, `Accept the change: ${command}`].join('\n'),
  }
}

/** The beginning of the file of a snapshot: the names of suites and test, and its own. Playwright makes it a file name. */
function nameOf({ titlePath }: TestInfo, name: string): string {
  return `${titlePath.slice(1).join(' ').slice(0, 80)} ${name}`
}
