import { decodeBase64 } from '../../src/mime/base64.ts'
import { parseDataUri } from '../../src/attachments/data-uri.ts'
import { FormBody } from '../../src/core/form.ts'
import { LocalpostError } from '../../src/core/errors.ts'
import { isAligned } from '../../src/checks/dmarc.ts'
import { expandMacros } from '../../src/checks/spf-terms.ts'
import { atRuleFeatures } from '../../src/client-support/css-features.ts'
import { elementFeatures, imageFeatures, imagesOf } from '../../src/client-support/html-features.ts'
import { previewHtml } from '../../src/client-support/preview.ts'
import { bearerOf, basicOf } from '../../src/server/auth.ts'
import { previewedClient } from '../../src/client-support/preview-clients.ts'
import { filterCss } from '../../src/client-support/preview-css.ts'
import { filterHtml } from '../../src/client-support/preview-html.ts'
import { filterSheets } from '../../src/client-support/preview-styles.ts'
import { scanCss } from '../../src/client-support/scan-css.ts'
import { readHeaderFacts } from '../../src/emails/header-facts.ts'
import { answeredConversation } from '../../src/emails/conversation.ts'
import { charsetMisfit } from '../../src/mime/charset-fit.ts'
import { readAnswered } from '../../src/inbox/answered.ts'
import { quoteMail } from '../../src/inbox/quoted.ts'
import { isMailbox, toMailbox } from '../../src/mime/headers/addresses.ts'
import { charsetOf, decodeText } from '../../src/mime/headers/charset.ts'
import { decodeField } from '../../src/mime/headers/decode-field.ts'
import { rawOctets } from '../../src/mime/headers/octets.ts'
import { splitHeaderFields } from '../../src/mime/headers/fields.ts'
import { splitHead } from '../../src/mime/headers/headers.ts'
import { withAbsoluteUrls } from '../../src/mime/html/css-addresses.ts'
import { readMarkup } from '../../src/mime/html/markup.ts'
import { scanHtml } from '../../src/mime/html/scan-html.ts'
import { snippetOf } from '../../src/mime/html/snippet.ts'
import { readPartHeader } from '../../src/mime/part.ts'
import { ContentBudget } from '../../src/providers/content-budget.ts'
import { toEventFilter } from '../../src/providers/mailgun/event-filter.ts'
import { readMembers } from '../../src/providers/mailgun/members.ts'
import { sendSchema } from '../../src/providers/mailgun/send-schema.ts'
import { readDeliveryTime } from '../../src/providers/mailgun/times.ts'
import { addressesOf, splitAddresses } from '../../src/providers/mailgun/recipients.ts'
import { personalize, readRecipientVariables } from '../../src/providers/mailgun/personalization.ts'
import { readObject } from '../../src/providers/mailgun/json-parameter.ts'
import { withAppearance } from '../../src/reading/appearance.ts'
import { withInlineImages } from '../../src/reading/inline-images.ts'
import { extractLinks } from '../../src/reading/links.ts'
import { readCalendarMethods } from '../../src/checks/calendars.ts'
import { wronglyEncodedFields } from '../../src/checks/encoded-fields.ts'
import { contains } from '../../src/search/query-fits.ts'
import { readTerms } from '../../src/search/query-terms.ts'
import { readDate } from '../../src/search/query-values.ts'
import { isTag } from '../../src/search/query.ts'
import { searchableText } from '../../src/mime/html/searchable-text.ts'
import { renderTexts, type LanguageEngine } from '../../src/templates/engines.ts'
import { formatDate } from '../../src/templates/format-date.ts'
import { refusedCommand } from '../../src/capture/replies.ts'

/** The folders of `src` whose exported functions read what others wrote: mail, requests, style sheets, records of DNS. */
export const folders: readonly string[] = [
  'attachments',
  'audiences',
  'capture',
  'checks',
  'client-support',
  'compare',
  'domains',
  'emails',
  'inbox',
  'mime',
  'net',
  'providers/mailgun',
  'reading',
  'rules',
  'search',
  'server',
  'templates',
  'tracking',
]

const nothing = (): void => {}
/** So that each of several calls is made, also where an earlier one refuses its text. */
function isRefused(call: () => unknown): boolean {
  try {
    call()
    return false
  } catch (error) {
    if (error instanceof LocalpostError) return true
    throw error
  }
}
const client = previewedClient('gmail/desktop-webmail')
const cssListener = { onAtRule: nothing, onSelectors: nothing, onDeclaration: nothing, onComment: nothing }
const cssFilter = { ignores: () => false, imageFeatures: () => [] }
const spfSender = { ip: '192.0.2.1', sender: 'a@b.test', helo: 'c.test' }
const envelope = { mail_from: 'a@b.test', rcpt_to: ['c@d.test'] }
const rendered = (engine: LanguageEngine, text: string): unknown =>
  renderTexts({
    engine,
    texts: { html: text },
    data: { a: [1] },
    maxBytes: { subject: 1, bodies: 10_000_000 },
  })
const asPart = { isRoot: false, defaultType: 'text/plain' }

/** How a function is called that needs more than a text, or something else. */
export const calls: Readonly<Record<string, (text: string) => unknown>> = {
  'attachments/data-uri.ts parseDataUri': (text) => parseDataUri(`data:,${text}`),
  'mime/base64.ts decodeBase64': (text) => decodeBase64(text),
  'capture/replies.ts refusedCommand': (text) =>
    ['MAIL FROM:', 'AUTH '].map((begin) =>
      refusedCommand(begin.slice(0, 4), `${begin}${text}`, { hasStartTls: true, isInTransaction: false }),
    ),
  'checks/dmarc.ts isAligned': (text) => isAligned(text, text, 'relaxed'),
  'checks/spf-terms.ts expandMacros': (text) => expandMacros(text, 'a.test', spfSender),
  'client-support/css-features.ts atRuleFeatures': (text) => atRuleFeatures('media', text),
  'client-support/html-features.ts elementFeatures': (text) =>
    elementFeatures('a', { href: text, style: text }),
  'client-support/html-features.ts imageFeatures': (text) => imageFeatures(text, []),
  'client-support/html-features.ts imagesOf': (text) => imagesOf('img', { src: text, srcset: text }),
  'client-support/preview-css.ts filterCss': (text) => filterCss(text, 'sheet', cssFilter),
  'client-support/preview-html.ts filterHtml': (text) => filterHtml(text, client, []),
  'client-support/preview-styles.ts filterSheets': (text) =>
    filterSheets(
      text,
      [{ start: 0, end: text.length, openedAt: 0, closedAt: text.length, isInBody: false }],
      cssFilter,
      client.rules,
    ),
  'client-support/preview.ts previewHtml': (text) =>
    previewHtml({ html: text.padEnd(110_000, 'x'), attachments: [] }, 'gmail/ios'),
  'client-support/scan-css.ts scanCss': (text) => scanCss(text, 'sheet', cssListener),
  'emails/header-facts.ts readHeaderFacts': (text) => readHeaderFacts(Buffer.from(text), envelope),
  'emails/conversation.ts answeredConversation': (text) =>
    answeredConversation({ references: text, inReplyTo: text, messageId: text }),
  'inbox/answered.ts readAnswered': (text) => {
    const names = ['Reply-To', 'From', 'Message-ID', 'In-Reply-To', 'References', 'Auto-Submitted']
    return readAnswered(Buffer.from(`${names.map((name) => `${name}: ${text}\r\n`).join('')}\r\n`))
  },
  'inbox/quoted.ts quoteMail': (text) =>
    [text, ''].map((plain) => quoteMail({ from: text, received: 0, text: plain, html: text })),
  'mime/charset-fit.ts charsetMisfit': (text) =>
    charsetMisfit(Buffer.from(text, 'latin1'), text, { declared: 'utf-8', charset: 'utf-8' }),
  'mime/headers/addresses.ts isMailbox': (text) => isMailbox(text, 'a@b.test'),
  'mime/headers/addresses.ts toMailbox': (text) => toMailbox(text, 'a@b.test'),
  'mime/headers/charset.ts charsetOf': (text) => charsetOf(Buffer.from(text), null, null),
  'mime/headers/charset.ts decodeText': (text) => decodeText(Buffer.from(text), 'iso-2022-jp'),
  'mime/headers/octets.ts rawOctets': (text) => rawOctets(text, 'utf-8'),
  'mime/headers/decode-field.ts decodeField': (text) => decodeField('date', text),
  'checks/calendars.ts readCalendarMethods': (text) => readCalendarMethods(Buffer.from(text)),
  'checks/encoded-fields.ts wronglyEncodedFields': (text) => wronglyEncodedFields([['To', text]]),
  'mime/headers/fields.ts splitHeaderFields': (text) => splitHeaderFields(text, 'part'),
  'mime/headers/headers.ts splitHead': (text) => splitHead(Buffer.from(text), 'part'),
  'mime/html/css-addresses.ts withAbsoluteUrls': (text) => withAbsoluteUrls(text, { withoutPixels: true }),
  'mime/html/markup.ts readMarkup': (text) =>
    readMarkup(text, {
      onTagName: nothing,
      onAttribute: nothing,
      onTagEnd: nothing,
      onCloseTag: nothing,
      onText: nothing,
    }),
  'mime/html/scan-html.ts scanHtml': (text) =>
    scanHtml(text, ['href'], { onOpenTag: nothing, onText: nothing, onCloseTag: nothing }),
  'mime/html/snippet.ts snippetOf': (text) => snippetOf('', text),
  'mime/part.ts readPartHeader': (text) => {
    const header = Buffer.from(`Content-Type: ${text.replaceAll(/[\r\n]/g, ' ')}\r\n\r\n`)
    return readPartHeader(header, [0, header.length], asPart)
  },
  'providers/mailgun/event-filter.ts toEventFilter': (text) => toEventFilter('acme.test', { subject: text }),
  'providers/mailgun/members.ts readMembers': (text) =>
    [
      new FormBody(Buffer.from(`--a\r\nContent-Disposition: form-data; ${text}\r\n\r\n\r\n--a--`), 'a'),
      new FormBody(Buffer.from(`--a\r\nContent-Disposition: form-data; name=b\r\n\r\n${text}\r\n--a--`), 'a'),
      new FormBody(Buffer.from(text), null),
    ].map((form) => isRefused(() => readMembers(sendSchema, form))),
  'providers/mailgun/personalization.ts personalize': (text) =>
    personalize(new Map([['a', text]]), new ContentBudget('recipients'))(text),
  'providers/mailgun/json-parameter.ts readObject': (text) => readObject('t:variables', text),
  'providers/mailgun/personalization.ts readRecipientVariables': (text) => readRecipientVariables(text),
  'providers/mailgun/recipients.ts addressesOf': (text) => addressesOf('to', [text], []),
  'providers/mailgun/recipients.ts splitAddresses': (text) => splitAddresses([text]),
  'providers/mailgun/times.ts readDeliveryTime': (text) => readDeliveryTime(text, 0),
  'reading/appearance.ts withAppearance': (text) => withAppearance(text, 'dark'),
  'reading/inline-images.ts withInlineImages': (text) => withInlineImages(text, []),
  'reading/links.ts extractLinks': (text) => extractLinks(text, text),
  'search/query-fits.ts contains': (text) => contains(text, 'a'),
  'search/query-terms.ts readTerms': (text) => readTerms(text, 0),
  'search/query-values.ts readDate': (text) => readDate(text, 0),
  'search/query.ts isTag': (text) => isTag(text, 'a'),
  'mime/html/searchable-text.ts searchableText': (text) => searchableText(text, text),
  'templates/format-date.ts formatDate': (text) => formatDate(text, text, text),
  'templates/handlebars.ts parseHandlebars': (text) => rendered('handlebars', text),
  'templates/mustachio.ts parseMustachio': (text) => rendered('mustachio', text),
  'server/auth.ts bearerOf': (text) => bearerOf({ get: () => `Bearer ${text}` }),
  'server/auth.ts basicOf': (text) => basicOf({ get: () => `Basic ${text}` }),
}

const bytesOfMail = 'reads a message, which `mime/parse.ts parseMessage` and its parts are attacked for'
const ownBytes = 'reads bytes that this project wrote'
const connects = 'connects, or looks up a name'
const checked = 'takes what was checked before: the name of a charset that is known, a URL'
const noText = 'takes a name or a path of this project, or copies what it gets'

/** Functions that are not attacked, and why. */
export const left: Readonly<Record<string, string>> = {
  ...reasons(bytesOfMail, [
    'mime/bodies.ts readBodies',
    'mime/dkim/verify.ts verifyDkim',
    'mime/headers/line-ends.ts endOfLines',
    'mime/headers/line-ends.ts startOfLine',
    'mime/multipart.ts splitMultipart',
    'mime/part-stream.ts decodePart',
    'mime/part-stream.ts measurePart',
    'mime/part-stream.ts readPart',
    'mime/slices.ts inSlices',
    'reading/digest.ts readDigest',
    'reading/inline-images.ts readInlineImages',
    'reading/nested.ts readNested',
  ]),
  ...reasons(ownBytes, [
    'reading/digest.ts readContentText',
    'search/head-rows.ts scanHeads',
    'search/text-blocks.ts openFileBlocks',
    'search/text-rows.ts beginBlock',
    'search/text-rows.ts countRows',
    'search/text-rows.ts firstIdOf',
    'search/text-rows.ts idAt',
    'search/text-rows.ts isSealedBlock',
    'search/text-rows.ts lastId',
    'search/row-terms.ts rowTerm',
    'search/text-rows.ts rowsBefore',
    'search/text-rows.ts rowsWith',
    'search/row-terms.ts scanRows',
    'search/text-rows.ts sealBlock',
    'search/text-rows.ts toTextRow',
  ]),
  ...reasons(connects, [
    'attachments/fetch.ts fetchAttachment',
    'checks/dmarc.ts findDmarc',
    'checks/live-links.ts askLive',
    'checks/rspamd.ts askRspamd',
    'checks/spf.ts evaluateSpf',
    'checks/spf.ts readSpf',
    'domains/verification.ts checkRecords',
    'domains/verification.ts findSoa',
    'net/guarded-request.ts guardedLookup',
    'net/guarded-request.ts addressProblem',
  ]),
  ...reasons(checked, ['mime/headers/charset.ts createTextDecoder', 'net/guarded-request.ts urlProblem']),
  ...reasons(noText, [
    'providers/mailgun/paging.ts linksOf',
    'providers/mailgun/conventions.ts toMessageId',
    'providers/mailgun/conventions.ts versionId',
    'audiences/contact-import.ts importContacts',
    'audiences/contact-writer.ts writeContacts',
    'capture/auth.ts judgeCredentials',
    'capture/commands.ts stageOf',
    'capture/certificate.ts makeCertificate',
    'client-support/css-features.ts declarationFeatures',
    'client-support/html-features.ts isOfElement',
    'domains/dkim-keys.ts generateDkimKey',
    'domains/dkim-keys.ts processDkimKey',
    'domains/dns-records.ts dnsRecords',
    'domains/zone-file.ts zoneFile',
    'domains/senders.ts blankDomain',
    'emails/copies.ts copyBlob',
    'emails/events.ts deliveredEvent',
    'emails/events.ts sentTo',
    'net/hosts.ts authorityOf',
    'server/dev/guarded-bytes.ts htmlAnswer',
    'server/dev/consent.ts consentRequired',
    'server/lists.ts listSchema',
    'server/auth.ts insufficientScope',
    'server/plain-page.ts plainPage',
    'server/store-events.ts toEvent',
    'tracking/tokens.ts createTokens',
  ]),
}

function reasons(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, reason]))
}
