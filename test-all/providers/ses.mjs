// Runs against a Localpost server, in a project where the SDK and nodemailer are installed: each line of the output is one result.
import {
  CreateConfigurationSetCommand,
  CreateConfigurationSetEventDestinationCommand,
  CreateEmailIdentityCommand,
  CreateEmailTemplateCommand,
  DeleteConfigurationSetCommand,
  DeleteConfigurationSetEventDestinationCommand,
  DeleteEmailIdentityCommand,
  DeleteEmailTemplateCommand,
  DeleteSuppressedDestinationCommand,
  GetAccountCommand,
  GetConfigurationSetCommand,
  GetConfigurationSetEventDestinationsCommand,
  GetEmailIdentityCommand,
  GetEmailTemplateCommand,
  GetSuppressedDestinationCommand,
  ListConfigurationSetsCommand,
  ListContactListsCommand,
  ListEmailIdentitiesCommand,
  ListEmailTemplatesCommand,
  ListSuppressedDestinationsCommand,
  PutSuppressedDestinationCommand,
  SendBulkEmailCommand,
  SendEmailCommand,
  SESv2Client,
  TestRenderEmailTemplateCommand,
  UpdateConfigurationSetEventDestinationCommand,
  UpdateEmailTemplateCommand,
} from '@aws-sdk/client-sesv2'
import { createTransport } from 'nodemailer'

const sesClient = new SESv2Client()
const from = 'Acme <hi@acme.test>'
const mail = {
  FromEmailAddress: from,
  Destination: { ToAddresses: ['Ada <ada@example.com>'] },
  Content: { Simple: { Subject: { Data: 'Hello' }, Body: { Text: { Data: 'It works.' } } } },
}
const show = (name, value) => console.log(JSON.stringify([name, value]))
async function send(Command, input) {
  const { $metadata: _, ...answer } = await sesClient.send(new Command(input))
  return answer
}
/** The name and status of the error of a call. */
async function errorOf(Command, input) {
  try {
    await send(Command, input)
    return 'none'
  } catch (error) {
    return `${error.$metadata.httpStatusCode} ${error.name}`
  }
}

const steps = {
  async send() {
    const { MessageId } = await send(SendEmailCommand, {
      ...mail,
      EmailTags: [{ Name: 'order', Value: '17' }],
      Content: {
        Simple: {
          Subject: { Data: 'All' },
          Body: { Text: { Data: 'text' }, Html: { Data: '<img src="cid:logo">' } },
          Headers: [{ Name: 'X-Order', Value: '17' }],
          Attachments: [
            { FileName: 'a.txt', RawContent: Buffer.from('bytes') },
            {
              FileName: 'logo.png',
              RawContent: Buffer.from('png'),
              ContentId: 'logo',
              ContentDisposition: 'INLINE',
            },
          ],
        },
      },
    })
    show('send', MessageId)
  },
  async nodemailer() {
    const transport = createTransport({ SES: { sesClient, SendEmailCommand } })
    const sent = await transport.sendMail({
      from,
      to: 'ada@example.com',
      bcc: 'eve@example.com',
      subject: 'Mailer',
      text: 'x',
    })
    show('nodemailer', sent.response)
  },
  async templates() {
    await send(CreateEmailTemplateCommand, {
      TemplateName: 'hi',
      TemplateContent: { Subject: 'Hi {{name}}', Text: 'x' },
    })
    await send(UpdateEmailTemplateCommand, {
      TemplateName: 'hi',
      TemplateContent: { Subject: 'Hi {{name}}!', Text: 'x' },
    })
    const got = await send(GetEmailTemplateCommand, { TemplateName: 'hi' })
    const { TemplatesMetadata } = await send(ListEmailTemplatesCommand, {})
    const data = JSON.stringify({ name: 'Ada' })
    const { RenderedTemplate } = await send(TestRenderEmailTemplateCommand, {
      TemplateName: 'hi',
      TemplateData: data,
    })
    const { BulkEmailEntryResults } = await send(SendBulkEmailCommand, {
      FromEmailAddress: from,
      DefaultContent: { Template: { TemplateName: 'hi', TemplateData: data } },
      BulkEmailEntries: [
        { Destination: { ToAddresses: ['a@example.com'] } },
        { Destination: { ToAddresses: ['b@example.com'] } },
      ],
    })
    await send(DeleteEmailTemplateCommand, { TemplateName: 'hi' })
    show('templates', {
      got: got.TemplateContent.Subject,
      listed: TemplatesMetadata.map(({ TemplateName, CreatedTimestamp }) => [
        TemplateName,
        CreatedTimestamp instanceof Date,
      ]),
      rendered: RenderedTemplate,
      bulk: BulkEmailEntryResults.map(({ Status }) => Status),
    })
  },
  async identities() {
    const EmailIdentity = 'mail.acme.test'
    const created = await send(CreateEmailIdentityCommand, { EmailIdentity })
    const got = await send(GetEmailIdentityCommand, { EmailIdentity })
    const { EmailIdentities } = await send(ListEmailIdentitiesCommand, {})
    const refused = await errorOf(SendEmailCommand, { ...mail, FromEmailAddress: `hi@${EmailIdentity}` })
    const again = await errorOf(CreateEmailIdentityCommand, { EmailIdentity })
    const address = await send(CreateEmailIdentityCommand, { EmailIdentity: 'ada@example.com' })
    await send(DeleteEmailIdentityCommand, { EmailIdentity })
    show('identities', {
      created: [created.IdentityType, created.DkimAttributes.Status, created.DkimAttributes.Tokens.length],
      got: got.VerificationStatus,
      listed: EmailIdentities.some(({ IdentityName }) => IdentityName === EmailIdentity),
      refused,
      again,
      address: [address.IdentityType, address.VerifiedForSendingStatus],
      gone: await errorOf(GetEmailIdentityCommand, { EmailIdentity }),
    })
  },
  async suppression() {
    const EmailAddress = 'gone@example.com'
    await send(PutSuppressedDestinationCommand, { EmailAddress, Reason: 'COMPLAINT' })
    const { SuppressedDestination } = await send(GetSuppressedDestinationCommand, { EmailAddress })
    const { SuppressedDestinationSummaries } = await send(ListSuppressedDestinationsCommand, {
      Reasons: ['COMPLAINT'],
    })
    await send(DeleteSuppressedDestinationCommand, { EmailAddress })
    show('suppression', {
      got: [SuppressedDestination.Reason, SuppressedDestination.LastUpdateTime instanceof Date],
      listed: SuppressedDestinationSummaries.map((one) => one.EmailAddress),
      gone: await errorOf(GetSuppressedDestinationCommand, { EmailAddress }),
    })
  },
  async errors() {
    const { SendQuota } = await send(GetAccountCommand, {})
    show('errors', {
      quota: SendQuota.Max24HourSend,
      address: await errorOf(SendEmailCommand, { ...mail, Destination: { ToAddresses: ['nobody'] } }),
      template: await errorOf(SendEmailCommand, { ...mail, Content: { Template: { TemplateName: 'none' } } }),
      tenant: await errorOf(SendEmailCommand, { ...mail, TenantName: 'x' }),
      set: await errorOf(SendEmailCommand, { ...mail, ConfigurationSetName: 'none' }),
      lists: await errorOf(ListContactListsCommand, {}),
    })
  },
  async sets() {
    const ConfigurationSetName = 'shop'
    const named = { ConfigurationSetName, EventDestinationName: 'sns' }
    await send(CreateConfigurationSetCommand, { ConfigurationSetName })
    const again = await errorOf(CreateConfigurationSetCommand, { ConfigurationSetName })
    const EventDestination = {
      Enabled: true,
      MatchingEventTypes: ['BOUNCE'],
      SnsDestination: { TopicArn: process.env.TOPIC_ARN },
    }
    await send(CreateConfigurationSetEventDestinationCommand, { ...named, EventDestination })
    const changed = { ...EventDestination, MatchingEventTypes: ['BOUNCE', 'COMPLAINT'] }
    await send(UpdateConfigurationSetEventDestinationCommand, { ...named, EventDestination: changed })
    const { EventDestinations } = await send(GetConfigurationSetEventDestinationsCommand, {
      ConfigurationSetName,
    })
    const got = await send(GetConfigurationSetCommand, { ConfigurationSetName })
    const { ConfigurationSets } = await send(ListConfigurationSetsCommand, { PageSize: 5 })
    const { MessageId } = await send(SendEmailCommand, { ...mail, ConfigurationSetName })
    await send(DeleteConfigurationSetEventDestinationCommand, named)
    await send(DeleteConfigurationSetCommand, { ConfigurationSetName })
    show('sets', {
      again,
      destinations: EventDestinations.map(({ Name, MatchingEventTypes }) => [Name, ...MatchingEventTypes]),
      got: got.ConfigurationSetName,
      listed: ConfigurationSets,
      sent: MessageId,
      gone: await errorOf(GetConfigurationSetCommand, { ConfigurationSetName }),
    })
  },
}

for (const name of process.argv.slice(2)) await steps[name]()
