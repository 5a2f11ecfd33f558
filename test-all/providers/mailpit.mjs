// Runs against a Localpost server, in a project where `mailpit-api` is installed: each line of the output is one result.
import { MailpitClient } from 'mailpit-api'

const mailpit = new MailpitClient(process.env.MAILPIT_URL, {
  auth: { username: 'anyone', password: process.env.LOCALPOST_API_KEY },
})
const show = (name, value) => console.log(JSON.stringify([name, value]))
const mail = (more) => ({
  From: { Email: 'a@acme.test', Name: 'Acme' },
  To: [{ Email: 'ada@example.com', Name: 'Ada' }],
  Subject: 'Hello',
  ...more,
})
const image =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

const { ID } = await mailpit.sendMessage(
  mail({
    HTML: '<p style="display:flex">Hello <a href="http://127.0.0.1:1/">x</a></p>',
    Text: 'Hello',
    Tags: ['welcome'],
    Headers: { 'X-Order': '17' },
    Attachments: [{ Content: image, Filename: 'dot.png', ContentType: 'image/png' }],
  }),
)
const message = await mailpit.waitForMessage({ query: 'subject:Hello', start: 0, limit: 1 })
show('waitForMessage', message.ID === ID)
show('getMessageSummary', [message.From, message.To, message.Tags, message.Attachments[0].FileName])
const [{ PartID }] = message.Attachments
show('getMessageAttachment', [
  (await mailpit.getMessageAttachment(ID, PartID)).size,
  message.Attachments[0].Size,
])
show('getAttachmentThumbnail', (await mailpit.getAttachmentThumbnail(ID, PartID)).type)
show('getMessageHeaders', (await mailpit.getMessageHeaders())['X-Order'])
show('getMessageSource', (await mailpit.getMessageSource(ID)).includes('X-Order: 17'))
show('renderMessageHTML', await mailpit.renderMessageHTML())
show('renderMessageText', await mailpit.renderMessageText(ID))
show(
  'htmlCheck',
  (await mailpit.htmlCheck(ID)).Warnings.map(({ Slug }) => Slug),
)
show(
  'linkCheck',
  (await mailpit.linkCheck(ID, true)).Links.map(({ URL, StatusCode }) => [URL, StatusCode]),
)
show('spamAssassinCheck', (await mailpit.spamAssassinCheck(ID)).IsSpam)
show(
  'releaseMessage',
  await mailpit.releaseMessage(ID, { To: ['bob@example.com'] }).catch(({ message }) => message),
)

for (let i = 0; i < 3; i++) await mailpit.sendMessage(mail({ Subject: `Number ${i}` }))
const count = async (query) => (await mailpit.searchMessages({ query })).messages_count
show(
  'waitForMessages',
  (await mailpit.waitForMessages({ query: 'subject:Number', count: 3, exact: true })).total,
)
show(
  'listMessages',
  (await mailpit.listMessages(1, 2)).messages.map(({ Subject }) => Subject),
)
await mailpit.setReadStatus({ Search: 'after:2025-04-30', Read: true }, { tz: 'America/Chicago' })
show('setReadStatus', [await count('is:read'), await mailpit.setReadStatus(), await count('is:unread')])
await mailpit.setTags({ IDs: [ID], Tags: ['One', 'Two'] })
show('setTags', await mailpit.getTags())
await mailpit.renameTag('One', 'Uno')
show('renameTag', [await mailpit.getTags(), await mailpit.deleteTag('Uno'), await mailpit.getTags()])
show('setChaosTriggers', await mailpit.setChaosTriggers({ Sender: { ErrorCode: 451, Probability: 5 } }))
await mailpit.setChaosTriggers()
show('getChaosTriggers', (await mailpit.getChaosTriggers()).Sender)
const { Messages, Version } = await mailpit.getInfo()
show('getInfo', [Messages, typeof Version])
show('getConfiguration', (await mailpit.getConfiguration()).MessageRelay.Enabled)
show('deleteMessagesBySearch', [
  await mailpit.deleteMessagesBySearch({ query: 'subject:"Number 1"' }),
  (await mailpit.getInfo()).Messages,
])
show('deleteMessages', [
  await mailpit.deleteMessages({ IDs: [ID] }),
  (await mailpit.getInfo()).Messages,
  await mailpit.deleteMessages(),
  (await mailpit.waitForMessages({ count: 0 })).total,
])
show(
  'error',
  await mailpit.getMessageSummary('none').catch(({ message }) => message.replace(/http\S+/, 'URL')),
)
