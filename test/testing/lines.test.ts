import { afterEach, describe, expect, it } from 'vitest'
import { failingCalls, failingMatchers, fileOf, firstPlaces, wrongCalls, wrongMatchers } from './_lines.ts'
import { openProjects, run, runVitest } from './_project.ts'

const projects = openProjects()
afterEach(() => projects.clear())

describe('a failure shows the line of the test', () => {
  it('in vitest', async () => {
    const { text, lines } = fileOf(
      `import { expect, test } from 'localpost/vitest'`,
      [...failingCalls, ...failingMatchers, ...wrongCalls, ...wrongMatchers],
      '',
    )
    const { output } = await runVitest(projects.make({ 'lines.test.js': text }), '--reporter=verbose')
    expect(output).toMatch(new RegExp(`Tests\\s+${lines.length} failed`))
    const shown = lines.filter((line) => output.includes(`❯ lines.test.js:${line}:`))
    expect(shown, output).toEqual(lines)
    const wrong = lines.slice(failingCalls.length + failingMatchers.length)
    expect(firstPlaces(output)).toEqual(wrong.map((line) => `lines.test.js:${line}`))
  })

  it('in node:test', async () => {
    const { text, lines } = fileOf(`import { test } from 'node:test'`, [...failingCalls, ...wrongCalls], 't')
    const { output } = await run(projects.make({ 'lines.test.js': text }), '--test', 'lines.test.js')
    const shown = lines.filter((line) => output.includes(`lines.test.js:${line}:`))
    expect(shown, output).toEqual(lines)
    const wrong = lines.slice(failingCalls.length)
    expect(firstPlaces(output)).toEqual(wrong.map((line) => `lines.test.js:${line}`))
  })
})
