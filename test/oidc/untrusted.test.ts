import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createProviderFetch } from '../../src/oidc/fetch.ts'
import { certificateFor } from '../support/certificate.ts'

test('a provider whose certificate is of an unknown authority is refused, with what to do', async () => {
  const { key, cert } = certificateFor('provider')
  const asked: unknown[] = []
  const server = createServer({ key, cert }, (request, response) => {
    asked.push(request.url)
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const issuer = new URL(`https://127.0.0.1:${(server.address() as AddressInfo).port}`)
  const provider = createProviderFetch({ issuer, problemOf: () => null })
  onTestFinished(() => provider.close())
  await expect(provider.fetch(issuer.href, { method: 'GET', headers: {} })).rejects.toThrow(
    /: the certificate is self-signed\. If that is the right server, .*NODE_EXTRA_CA_CERTS=<file>$/,
  )
  expect(asked).toEqual([])
})
