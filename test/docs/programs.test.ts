import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { ensureProgram, findOnPath } from '../support/programs.ts'

const swaks = { name: 'swaks', tests: 'the documentation', find: () => findOnPath('swaks') }

/** Replaces PATH by a folder with an `apt-get` that "installs" the requested programs next to itself. */
function pathWithAptGet(): string {
  const folder = temporaryFolder()
  const program = join(folder, 'apt-get')
  writeFileSync(program, `#!/bin/sh\nfor last; do :; done\n[ "$last" = -qq ] || : > "${folder}/$last"\n`)
  chmodSync(program, 0o755)
  const before = { PATH: process.env['PATH'], TEST_INSTALL: process.env['TEST_INSTALL'] }
  onTestFinished(() => {
    for (const [name, value] of Object.entries(before))
      if (value === undefined) delete process.env[name]
      else process.env[name] = value
  })
  process.env['PATH'] = `${folder}:/nowhere`
  delete process.env['TEST_INSTALL']
  return folder
}

it('a missing program is not installed without consent: the error says what to do', () => {
  pathWithAptGet()
  expect(() => ensureProgram(swaks)).toThrow(
    /^The tests of the documentation need swaks\. Install it \(.*apt-get install swaks\)\. With TEST_INSTALL=1 /,
  )
  expect(findOnPath('swaks')).toBeUndefined()
})

it.skipIf(process.getuid?.() !== 0)('is installed as root where TEST_INSTALL=1 allows it', () => {
  const folder = pathWithAptGet()
  process.env['TEST_INSTALL'] = '1'
  expect(ensureProgram(swaks)).toBe(join(folder, 'swaks'))
})
