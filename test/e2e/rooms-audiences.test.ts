import type { Locator } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { enter, openPage } from './_setup.ts'

describe('the Audiences page', () => {
  it('imports contacts, shows which line is invalid, and sends them a broadcast', async () => {
    const { post, page } = await openPage()
    await enter(page, 'Audiences')
    await page.getByLabel('New audience').fill('Newsletter')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByLabel('Import as CSV').fill('email,first_name\nada@example.com,Ada\nnot-an-address,Bob\n')
    await page.getByRole('button', { name: 'Preview' }).click()
    const preview = page.getByRole('region', { name: 'Preview' })
    await preview.getByText('1 good row: 1 new, 0 updated. Nothing is stored yet.').waitFor()
    await preview.getByText('Line 3: email:').waitFor()
    const [audience] = (await post.audiences.list()).items
    expect(audience?.contact_count).toBe(0)
    await preview.getByRole('button', { name: 'Import 1 row' }).click()
    await page.getByText('1 new contact, 0 updated, 1 refused.').waitFor()
    await page.getByText('Line 3: email:').waitFor()
    await page.getByRole('tab', { name: 'Broadcast' }).click()
    await page.getByLabel('From').fill('Acme <hello@acme.test>')
    await page.getByLabel('Subject').fill('Hello {{first_name}}')
    await page.getByLabel('Text', { exact: true }).fill('News')
    await page.getByRole('button', { name: 'Send', exact: true }).click()
    await page.getByText('Sent to 1 contact.').waitFor()
    const { id, subject } = await post.inbox.waitFor('to:ada@example.com')
    expect(subject).toBe('Hello Ada')
    const sent = page.getByRole('region', { name: 'Sent' })
    const number = (words: string): Locator => sent.locator('.numbers > div').filter({ hasText: words })
    await number('Delivered').getByText('100 %').waitFor()
    await number('Opened').getByText('0', { exact: true }).waitFor()
    await post.emails.addEvent(id, { recipient: 'ada@example.com', status: 'opened' })
    await number('Opened').getByText('100 %').waitFor()
    await sent.getByRole('img', { name: 'Delivered 1, Opened 1' }).waitFor()
    await sent.getByText('As a table').click()
    await sent.getByRole('columnheader', { name: 'Opened' }).waitFor()
    await sent.getByRole('button', { name: 'Hello {{first_name}}' }).click()
    await number('Delivered').waitFor({ state: 'detached' })
    await page.getByRole('tab', { name: 'Contacts' }).click()
    await page.getByRole('button', { name: 'Edit ada@example.com' }).click()
    await page.getByRole('list', { name: 'Contacts' }).getByLabel('Last name').fill('Lovelace')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('list', { name: 'Contacts' }).getByText('Ada Lovelace').waitFor()
    await page.getByLabel('Subscribed').uncheck()
    await page.getByText('1 contact, 1 unsubscribed').waitFor()
  })

  it('adds one contact, says why another is refused, and counts as people do', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.audiences.create({ name: 'Readers' })
    await post.audiences.contacts.import(
      id,
      ['10', '2', '1'].map((at) => ({ email: `reader${at}@example.com` })),
    )
    await page.goto(`${post.url}/#/audiences/${id}`)
    const form = page.getByRole('form', { name: 'New contact' })
    await form.getByLabel('Email').fill('no address')
    await form.getByRole('button', { name: 'Add' }).click()
    await page.getByRole('alert').getByText('email').waitFor()
    await form.getByLabel('Email').fill('reader3@example.com')
    await form.getByLabel('First name').fill('Ada')
    await page.keyboard.press('Enter')
    await form.getByText('reader3@example.com was added.').waitFor()
    await page.getByText('4 contacts').first().waitFor()
    const names = page.getByRole('list', { name: 'Contacts' }).locator('.grow')
    await expect
      .poll(async () => (await names.allInnerTexts()).map((text) => /\d+/.exec(text)?.[0]))
      .toEqual(['1', '2', '3', '10'])
    await form.getByLabel('Email').fill('READER3@example.com')
    await form.getByRole('button', { name: 'Add' }).click()
    await form.getByText('was there already').waitFor()
  })

  it('counts as people do while all are loaded, and finds a contact that is not loaded yet', async () => {
    const { post, page } = await openPage({}, false)
    const { id } = await post.audiences.create({ name: 'Readers' })
    const readers = (count: number): { email: string }[] =>
      Array.from({ length: count }, (_, index) => ({ email: `reader${index}@example.com` }))
    await post.audiences.contacts.import(id, readers(250))
    await page.goto(`${post.url}/#/audiences/${id}`)
    const contacts = page.getByRole('list', { name: 'Contacts' })
    const names = contacts.locator('.grow')
    const numbers = async (): Promise<number[]> =>
      (await names.allInnerTexts()).map((text) => Number(/\d+/.exec(text)?.[0]))
    await expect.poll(numbers).toEqual(Array.from({ length: 250 }, (_, index) => index))

    // Of so many the order is that of the server, so that more of them come below.
    await post.audiences.contacts.import(id, [
      ...readers(850),
      { email: 'zoe@example.com', first_name: 'Zoë' },
    ])
    await page.reload()
    await page.getByRole('button', { name: 'Load more' }).waitFor()
    const before = await names.allInnerTexts()
    await page.getByRole('button', { name: 'Load more' }).click()
    await expect.poll(() => names.count()).toBe(before.length + 50)
    expect((await names.allInnerTexts()).slice(0, before.length)).toEqual(before)
    await page.getByLabel('Search contacts').fill('zoë')
    await contacts.getByText('zoe@example.com').first().waitFor()
    await page.getByLabel('Search contacts').fill('reader')
    await page.getByText('The first 200 of 850 matches.').waitFor()
    await page.getByLabel('Search contacts').fill('nobody')
    await page.getByText('No contact matches.').waitFor()
  })
})
