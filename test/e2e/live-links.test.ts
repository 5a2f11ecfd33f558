import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { objections } from './_axe.ts'
import { openPage, panel, rowOf, submit, tab } from './_setup.ts'

it('the links of a mail are asked on request, and those that do not answer are listed', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(404).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const { post, page } = await openPage()
  const link = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gone`
  await submit(post, { subject: 'Links', html: `<a href="${link}">Go on</a>` })
  await rowOf(page, 'Links').click()
  await tab(page, 'Checks').click()
  const button = panel(page).getByRole('button', { name: 'Test links and images' })
  await button.waitFor()
  expect(asked).toEqual([])
  await button.click()
  await panel(page)
    .getByText(/\/gone answers 404/)
    .waitFor()
  expect(new Set(asked)).toEqual(new Set(['/gone']))
  expect(await objections(page)).toEqual([])
})
