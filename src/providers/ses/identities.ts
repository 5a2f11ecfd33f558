import { z } from 'zod'
import { domainStatuses } from '../../domains/domain.ts'
import type { DomainDetail, DomainListItem } from '../../domains/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import { findDomain } from '../find-domain.ts'
import { withNames } from '../member-names.ts'
import { notSupported } from '../not-supported.ts'
import type { ProviderParts } from '../provider.ts'
import { sesFace } from './face.ts'
import { answerEmpty, emptyAnswer, pageBody, pageQuery, pageSchema } from './pages.ts'

const { get, post, del } = defineRoutes({ tag: 'Identities', access: 'key', face: sesFace })

const path = '/ses/v2/email/identities'

const statusSchema = z.enum(domainStatuses)
const typeSchema = z.enum(['EMAIL_ADDRESS', 'DOMAIN'])
const createdIdentitySchema = z.strictObject({
  IdentityType: typeSchema,
  VerifiedForSendingStatus: z.boolean(),
  DkimAttributes: z.strictObject({
    SigningEnabled: z.boolean(),
    Status: statusSchema,
    Tokens: z.array(z.string()).describe('The selectors of the keys: `<token>._domainkey.<domain>`'),
    SigningAttributesOrigin: z.literal('AWS_SES'),
  }),
})
const identitySchema = z.strictObject({
  ...createdIdentitySchema.shape,
  FeedbackForwardingStatus: z.boolean(),
  VerificationStatus: statusSchema,
  Policies: z.record(z.string(), z.string()),
  Tags: z.array(z.never()),
})
type SesIdentity = z.infer<typeof identitySchema>
const listedIdentitySchema = z.strictObject({
  IdentityType: typeSchema,
  IdentityName: z.string(),
  SendingEnabled: z.boolean(),
  VerificationStatus: statusSchema,
})
const listSchema = pageSchema({ EmailIdentities: z.array(listedIdentitySchema) })

/**
 * `/ses/v2/email/identities`: the domains of this account. An address is not stored. It may send if its domain may; a domain that
 * is not registered may send.
 */
export function identityRoutes({ domains }: Pick<ProviderParts, 'domains'>): Route[] {
  /** @throws not_found for a domain that is not registered. */
  async function identityOf(name: string): Promise<SesIdentity> {
    if (isAddress(name)) {
      const domain = await findDomain(domains, name.slice(name.lastIndexOf('@') + 1))
      return toIdentity('EMAIL_ADDRESS', domain)
    }
    const domain = await findDomain(domains, name)
    if (domain) return toIdentity('DOMAIN', domain)
    throw notFound('identity', name)
  }

  async function list({ NextToken, PageSize }: z.output<typeof pageBody>): Promise<object> {
    const page = await domains.list({ limit: Math.min(PageSize || 100, 100), cursor: NextToken })
    return { EmailIdentities: page.items.map(toListed), NextToken: page.cursor ?? undefined }
  }

  return [
    post(path, {
      summary: 'CreateEmailIdentity: register a domain. An address needs no registration',
      body: {
        schema: z.strictObject({
          EmailIdentity: z.string().min(1).max(320).describe('A domain, or an address'),
          ConfigurationSetName: z.string().optional().describe('Has no effect'),
          DkimSigningAttributes: notSupported('Localpost makes the keys'),
          Tags: notSupported('identities have no tags here'),
        }),
        maxBytes: bodyLimits.small,
      },
      success: { schema: createdIdentitySchema },
      errors: ['domain_exists'],
      async handler({ body: { EmailIdentity } }) {
        if (!isAddress(EmailIdentity))
          await withNames(domains.create({ name: EmailIdentity }), { name: 'EmailIdentity' })
        const { IdentityType, VerifiedForSendingStatus, DkimAttributes } = await identityOf(EmailIdentity)
        return { IdentityType, VerifiedForSendingStatus, DkimAttributes }
      },
    }),
    get(`${path}/{identity}`, {
      summary: 'GetEmailIdentity',
      success: { schema: identitySchema },
      handler: ({ params }) => identityOf(params.identity),
    }),
    get(path, {
      summary: 'ListEmailIdentities: the domains, newest first',
      query: pageQuery,
      success: { schema: listSchema },
      errors: ['invalid_cursor'],
      handler: ({ query }) => list(query),
    }),
    post('/ses/v2/email/list-identities', {
      summary: 'ListEmailIdentities, as newer SDKs call it',
      needs: 'read',
      body: {
        schema: z.strictObject({ ...pageBody.shape, Filter: notSupported('the list has all identities') }),
        maxBytes: bodyLimits.small,
        optional: true,
      },
      success: { schema: listSchema },
      errors: ['invalid_cursor'],
      handler: ({ body }) => list(body),
    }),
    del(`${path}/{identity}`, {
      summary: 'DeleteEmailIdentity: remove a domain',
      success: { schema: emptyAnswer },
      async handler({ params: { identity } }) {
        // Addresses are not stored.
        if (isAddress(identity)) return {}
        const domain = await findDomain(domains, identity)
        if (!domain) throw notFound('identity', identity)
        return answerEmpty(domains.remove(domain.id))
      },
    }),
  ]
}

const isAddress = (identity: string): boolean => identity.includes('@')

/** @param domain  The identity itself, or the domain of the address; null if that is not registered: then it may send. */
function toIdentity(type: SesIdentity['IdentityType'], domain: DomainDetail | null): SesIdentity {
  const status = domain?.status ?? 'SUCCESS'
  const keys = domain?.dns_records.flatMap((record) => (record.for === 'DKIM' ? record.name : [])) ?? []
  return {
    IdentityType: type,
    VerifiedForSendingStatus: status === 'SUCCESS',
    FeedbackForwardingStatus: false,
    VerificationStatus: status,
    DkimAttributes: {
      SigningEnabled: domain !== null,
      Status: status,
      Tokens: keys.map((name) => name.slice(0, name.indexOf('.'))),
      SigningAttributesOrigin: 'AWS_SES',
    },
    Policies: {},
    Tags: [],
  }
}

function toListed({ name, status }: DomainListItem): z.infer<typeof listedIdentitySchema> {
  return {
    IdentityType: 'DOMAIN',
    IdentityName: name,
    SendingEnabled: status === 'SUCCESS',
    VerificationStatus: status,
  }
}
