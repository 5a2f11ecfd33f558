import { chmodSync, existsSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../support/folder.ts'
import { ensureProgram, findOnPath, hasPrograms } from '../support/programs.ts'

const swaks = { name: 'swaks', tests: 'the documentation', find: () => findOnPath('swaks') }

/** Replaces PATH by a folder with an `apt-get` that "installs" the requested programs next to itself. */
function pathWithAptGet(): string {
  const folder = temporaryFolder()
  const program = join(folder, 'apt-get')
  writeFileSync(program, `#!/bin/sh\nfor last; do :; done\n[ "$last" = -qq ] || : > "${folder}/$last"\n`)
  chmodSync(program, 0o755)
  // It keeps two installations apart.
  symlinkSync('/usr/bin/flock', join(folder, 'flock'))
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

const mayInstall = process.getuid?.() === 0 && existsSync('/usr/bin/flock')

it.runIf(mayInstall)('is installed as root where TEST_INSTALL=1 allows it', () => {
  const folder = pathWithAptGet()
  process.env['TEST_INSTALL'] = '1'
  expect(ensureProgram(swaks)).toBe(join(folder, 'swaks'))
})

/** What the tests print while `run` runs. */
function printedBy(run: () => void): string {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  run()
  return write.mock.calls.map(([text]) => String(text)).join('')
}

it('tests that can be skipped name what they need, once per package', () => {
  pathWithAptGet()
  const printed = printedBy(() => {
    expect(hasPrograms('power cuts', ['mkfs.ext4', 'losetup', 'mount'])).toBe(false)
  })
  expect(printed).toMatch(
    /^SKIPPED: the tests of power cuts need mkfs\.ext4, losetup, mount \(.*apt-get install e2fsprogs mount\)\. With TEST_INSTALL=1 /,
  )
})

it.skipIf(process.getuid?.() !== 0)('no server is installed, even where TEST_INSTALL=1 is set', () => {
  pathWithAptGet()
  process.env['TEST_INSTALL'] = '1'
  expect(printedBy(() => expect(hasPrograms('nginx', ['nginx'])).toBe(false))).toMatch(
    /TEST_INSTALL=1 does not install them, since the packages start servers\.\n$/,
  )
  expect(findOnPath('nginx')).toBeUndefined()
})

it.runIf(mayInstall)('a program for optional tests is installed where TEST_INSTALL=1 allows it', () => {
  pathWithAptGet()
  process.env['TEST_INSTALL'] = '1'
  expect(printedBy(() => expect(hasPrograms('pages', ['curl'])).toBe(true))).toMatch(
    /installing curl with apt-get/,
  )
})
