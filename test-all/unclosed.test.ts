import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { makeProject, nodeOf, type Project } from './project.ts'
import { runAll } from './run.ts'

const forgets = `import { createLocalpost } from 'localpost'
test('forgets', async () => {
  const localpost = await createLocalpost()
  await localpost.listen()
  await localpost.emails.send({ from: 'Acme <hi@acme.test>', to: 'ada@example.com', subject: 'Welcome', text: 'Hi' })
  await localpost.inbox.waitFor({ subject: 'Welcome' })
})`

let project: Project
beforeAll(async () => {
  const files = {
    'package.json': '{"private":true,"type":"module"}',
    'jest/jest.config.js': `export default { testEnvironment: 'node', transform: {} }`,
    'jest/one.test.js': forgets,
    'jest/two.test.js': forgets,
    'jest-global/jest.config.js': `export default { transform: {}, globalSetup: './setup.js' }`,
    'jest-global/setup.js': `import { createLocalpost } from 'localpost'
export default async () => {
  const localpost = await createLocalpost()
  await localpost.listen()
}`,
    'jest-global/one.test.js': `test('passes', () => {})`,
    'node.test.js': `import { test } from 'node:test'; ${forgets}`,
  }
  project = await makeProject(files, [inject('tarball'), 'jest@30.5.2'])
})
afterAll(() => project?.remove())

const places = (said: string): string[] =>
  [...said.matchAll(/an instance was not closed\. It was started at .*?(\w+(?:\.test)?\.js:\d+)/g)]
    .map(([, place = '']) => place)
    .sort()

describe('an open instance lets the run end and is named in a warning', () => {
  it.each(['--runInBand', '--maxWorkers=2', '--maxWorkers=2 --workerThreads'])(
    'in Jest %s',
    async (flags) => {
      const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js', '--rootDir', 'jest']
      const said = await runAll('node', [...jest, ...flags.split(' ')], { cwd: project.dir })
      expect(said).toMatch(/Tests: +2 passed/)
      expect(places(said)).toEqual(['one.test.js:3', 'two.test.js:3'])
    },
  )

  it('in the global set-up of Jest', async () => {
    const jest = ['--experimental-vm-modules', 'node_modules/jest/bin/jest.js']
    const config = ['--config', 'jest-global/jest.config.js']
    const said = await runAll('node', [...jest, ...config], { cwd: project.dir })
    expect(said).toMatch(/Tests: +1 passed/)
    expect(places(said)).toEqual(['setup.js:3'])
  })

  it.each([
    ['20.19.0', '--test node.test.js'],
    ['20.19.0', 'node.test.js'],
    ['22.23.3', '--test --experimental-test-isolation=none node.test.js'],
    ['24.21.0', '--test --test-isolation=none node.test.js'],
    ['26.10.0', '--test node.test.js'],
    ['26.10.0', '--test --test-isolation=none node.test.js'],
    ['26.10.0', 'node.test.js'],
  ])('in node:test of Node %s: node %s', async (version, args) => {
    const said = await runAll(await nodeOf(version), args.split(' '), { cwd: project.dir })
    expect(said).toMatch(/pass 1\b/)
    expect(places(said)).toEqual(['node.test.js:3'])
  })
})
