import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, it, onTestFinished } from 'vitest'
import { makeProject } from './project.ts'
import { root, run } from './run.ts'

// The linter of the Docker language server, as a project of its own: nothing here needs it but this.
const lint = `
const { validate, ValidationSeverity } = require('dockerfile-utils')
const { DockerfileParser } = require('dockerfile-ast')
const text = require('node:fs').readFileSync(0, 'utf8')
const problems = validate(text, { deprecatedMaintainer: ValidationSeverity.ERROR, directiveCasing: ValidationSeverity.ERROR, instructionCasing: ValidationSeverity.ERROR })
const steps = DockerfileParser.parse(text).getInstructions().map((step) => [step.getKeyword(), step.getRawArgumentsContent() ?? step.getArgumentsContent()])
console.log(JSON.stringify({ problems: problems.map(({ message, range }) => [range.start.line + 1, message]), steps }))
`

it('the Dockerfile passes the linter, runs as an unprivileged user and exposes the documented ports', async () => {
  const project = await makeProject({ 'lint.cjs': lint }, ['dockerfile-utils@0.16.3', 'dockerfile-ast@0.7.1'])
  onTestFinished(() => project.remove())
  const read = async (text: string): Promise<{ problems: unknown[]; steps: [string, string][] }> =>
    JSON.parse(await run('node', ['lint.cjs'], { cwd: project.dir, input: text })) as never

  const text = readFileSync(join(root, 'Dockerfile'), 'utf8')
  // // Proves that the linter finds problems at all:
  expect((await read(text.replace('EXPOSE 8025', 'EXPOSE x8025'))).problems).toHaveLength(1)

  const { problems, steps } = await read(text)
  expect(problems).toEqual([])
  const last = (keyword: string): string | undefined => steps.findLast(([name]) => name === keyword)?.[1]
  expect(last('USER')).toBe('node')
  expect(last('EXPOSE')).toBe('8025 1025')
  expect(last('ENTRYPOINT')).toBe('["localpost"]')
  // A build of the same commit is the same image: nothing in it is "the newest".
  const bases = steps.flatMap(([name, value]) => (name === 'FROM' ? [value.split(' ')[0]] : []))
  expect(bases).toEqual(Array(2).fill(expect.stringMatching(/^node:\d+\.\d+\.\d+-slim$/)))
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, { version: string }>
  }
  expect(text).toContain(` pg@${packages['node_modules/pg']?.version} `)
  // The image contains the same packages as an install.
  expect(inject('packed').files).toContain('dist/cli/main.js')
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').split('\n')
  for (const name of ['.git', 'node_modules', '.localpost']) expect(ignored).toContain(name)
})
