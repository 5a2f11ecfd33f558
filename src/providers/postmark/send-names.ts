import type { ProviderSend } from '../send.ts'

/** Our names of members that have others in Postmark's API. */
export const sendNames: ProviderSend['names'] = {
  from: 'From',
  to: 'To',
  cc: 'Cc',
  bcc: 'Bcc',
  reply_to: 'ReplyTo',
  subject: 'Subject',
  html: 'HtmlBody',
  text: 'TextBody',
  headers: 'Headers',
  attachments: 'Attachments',
  'attachments[].name': 'Attachments[].Name',
  'attachments[].content': 'Attachments[].Content',
  'attachments[].content_type': 'Attachments[].ContentType',
  'attachments[].content_id': 'Attachments[].ContentID',
  metadata: 'Metadata',
  tags: 'Tag',
  tracking: 'TrackOpens',
  template_id: 'TemplateAlias',
  data: 'TemplateModel',
}
