import { join } from 'node:path'
import { afterAll, beforeAll, expect, inject, it } from 'vitest'
import { makeProject, type Project } from './project.ts'
import { run } from './run.ts'

const config = `import { defineConfig } from 'cypress'
import { localpost } from 'localpost/cypress'

export default defineConfig({
  e2e: {
    setupNodeEvents(on, config) {
      localpost(on)
      localpost(on, { url: 'http://127.0.0.1:8025', apiKey: 'lp_test' })
      // @ts-expect-error -- no such setting
      localpost(on, { uri: 'http://127.0.0.1:8025' })
      return config
    },
  },
})
`
const support = `import 'localpost/cypress/commands'
`
const spec = `beforeEach(() => cy.clearMails())
it('signs up', () => {
  cy.waitForMail({ to: 'ada@example.com', subject: /welcome/i }, { timeoutMs: 1000, after: new Date() }).then(({ codes, links }) => {
    const code: string | undefined = codes[0]
    cy.get('[name=code]').type(code + '{enter}').visit(links[0]?.href ?? '')
  })
  cy.waitForMail('to:ada@example.com').its('subject').should('eq', 'Welcome')
  cy.waitForMails(undefined, 2).then((mails) => mails.map(({ html }) => html))
  cy.expectNoMail({ to: 'bob@example.com' }, { timeoutMs: 100 })
  cy.mails('is:unread').should('have.length', 1)
  // @ts-expect-error -- no such member
  cy.waitForMail({ tow: 'ada@example.com' })
  // @ts-expect-error -- no such option
  cy.waitForMail({ to: 'ada@example.com' }, { timeout: 1000 })
  // @ts-expect-error -- the list takes a text
  cy.mails({ to: 'ada@example.com' })
})
`

let project: Project
beforeAll(async () => {
  const folder = (name: string, type: string): Record<string, string> => ({
    [`${name}/package.json`]: JSON.stringify({ private: true, type }),
    [`${name}/cypress.config.ts`]: config,
    [`${name}/cypress/support/e2e.ts`]: support,
    [`${name}/cypress/e2e/sign-up.cy.ts`]: spec,
  })
  const files = { ...folder('modules', 'module'), ...folder('scripts', 'commonjs') }
  const packages = [inject('tarball'), 'typescript@6.0.3', '@types/node@20.19.43', 'cypress@15.3.0']
  project = await makeProject(files, packages, { CYPRESS_INSTALL_BINARY: '0' })
})
afterAll(() => project?.remove())

it.each([
  ['modules', 'nodenext', 'nodenext'],
  ['scripts', 'nodenext', 'nodenext'],
  ['modules', 'preserve', 'bundler'],
  ['scripts', 'commonjs', 'node10', '--ignoreDeprecations', '6.0'],
])(
  'the tasks and commands fit the types of Cypress, in %s with module %s and resolution %s',
  async (folder, module, moduleResolution, ...more) => {
    const flags = [
      '--noEmit',
      '--strict',
      '--noUncheckedIndexedAccess',
      '--skipLibCheck',
      '--target',
      'es2022',
    ]
    const libraries = ['--lib', 'es2022,dom', '--types', 'cypress,node']
    const resolution = ['--module', module, '--moduleResolution', moduleResolution, ...more]
    const files = ['cypress.config.ts', 'cypress/support/e2e.ts', 'cypress/e2e/sign-up.cy.ts']
    const tsc = join(project.dir, 'node_modules/.bin/tsc')
    const cwd = join(project.dir, folder)
    expect(await run(tsc, [...flags, ...libraries, ...resolution, ...files], { cwd })).toBe('')
  },
)
