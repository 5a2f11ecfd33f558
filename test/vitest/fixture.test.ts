import { describe } from 'vitest'
import { createTest, expect, test } from '../../src/vitest/index.ts'

const welcome = {
  from: 'Acme <hi@acme.test>',
  to: 'ada@example.com',
  subject: 'Welcome {{name}}',
  text: 'Your code is 481516: https://acme.test/start',
}

const ofFile = createTest({ scope: 'file', options: { apiKeys: ['shared'] } })
const ofWorker = createTest({ scope: 'worker' })

describe('the fixture', () => {
  const keys: string[] = []

  test('is an instance', async ({ localpost }) => {
    keys.push(localpost.apiKey)
    await localpost.emails.send(welcome)
    await expect(localpost).toHaveSent({
      to: 'ada@example.com',
      from: 'hi@acme.test',
      subject: /welcome/i,
      count: 1,
    })
    await expect(localpost).not.toHaveSent({ to: 'bob@example.com' })
    // The first delivery loads modules, which takes long on a busy machine.
    await expect(localpost).toHaveEvent({
      recipient: 'ada@example.com',
      status: 'delivered',
      timeoutMs: 10_000,
    })
    await expect(localpost).not.toHaveEvent({ status: 'opened' })
    const mail = await localpost.inbox.waitFor({ to: 'ada@example.com' })
    await expect(mail).toHaveEvent({ status: 'delivered' })
    expect(mail).toHaveLink('acme.test/start')
    expect(mail).toHaveCode('481516')
    expect(mail).not.toHaveNoUnrenderedPlaceholders()
  })

  test('is another one in the next test', async ({ localpost }) => {
    expect(keys).not.toContain(localpost.apiKey)
    await expect(localpost).not.toHaveSent()
  })

  test('serves HTTP when its URL is requested', async ({ localpost, localpostUrl }) => {
    const answer = await fetch(`${localpostUrl}/v1/emails`, {
      headers: { authorization: `Bearer ${localpost.apiKey}` },
    })
    expect(answer.status).toBe(200)
  })

  test.concurrent.for([1, 2, 3, 4])('is isolated from the others, %i', async (number, { localpost }) => {
    await localpost.emails.send({ ...welcome, subject: `Number ${number}` })
    await expect(localpost).toHaveSent({ subject: `Number ${number}` })
    await expect(localpost).toHaveSent({ count: 1 })
  })
})

describe('its options', () => {
  test.override({ localpostOptions: { apiKeys: ['mine'], strict: true } })

  test('are those of the suite', async ({ localpost }) => {
    expect(localpost.apiKey).toBe('mine')
    await expect(localpost.emails.send({ ...welcome, subject: 'Hi' })).rejects.toMatchObject({
      code: 'domain_not_registered',
    })
  })
})

describe('one instance for all tests', () => {
  const ports: number[] = []

  ofFile('is filled by one', async ({ localpost }) => {
    ports.push(localpost.smtp.port)
    expect(localpost.apiKey).toBe('shared')
    await localpost.emails.send(welcome)
    await expect(localpost).toHaveSent()
  })

  ofFile('and found empty by the next', async ({ localpost }) => {
    expect(ports).toEqual([localpost.smtp.port])
    await expect(localpost).not.toHaveSent()
  })
})

describe('one instance for the worker', () => {
  ofWorker('works too', async ({ localpost }) => {
    await localpost.emails.send(welcome)
    await expect(localpost).toHaveSent()
  })
})
