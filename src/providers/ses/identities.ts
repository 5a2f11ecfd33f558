import { z } from 'zod'
import type { DomainDetail, DomainListItem } from '../../domains/types.ts'
import { defineRoutes } from '../../server/define-routes.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { notFound } from '../../store/repository.ts'
import { findDomain } from '../find-domain.ts'
import { withNames } from '../member-names.ts'
import type { ProviderParts } from '../provider.ts'
import { sesFace } from './face.ts'
import {
  createdIdentitySchema,
  identityListSchema,
  identitySchema,
  listedIdentitySchema,
  newIdentitySchema,
  type SesIdentity,
  type SesListedIdentity,
} from './identity-schema.ts'
import { answerEmpty, emptyAnswer } from './empty-answer.ts'
import { type pageBody, pageQuery } from './page-query.ts'

const { get, post, del } = defineRoutes({ tag: 'Identities', access: 'key', face: sesFace })

const path = '/ses/v2/email/identities'
const listSchema = z.strictObject({
  EmailIdentities: z.array(listedIdentitySchema),
  NextToken: z.string().optional(),
})

/**
 * `/ses/v2/email/identities`: the domains of this account. An address is not stored: it may send when its domain may, and a domain
 * that is not registered may.
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

  async function list({
    NextToken,
    PageSize,
  }: z.output<typeof pageBody>): Promise<z.output<typeof listSchema>> {
    const limit = Math.min(PageSize || 100, 100)
    const { items, cursor } = await domains.list({ limit, ...(NextToken && { cursor: NextToken }) })
    return { EmailIdentities: items.map(toListed), ...(cursor === null ? {} : { NextToken: cursor }) }
  }

  return [
    post(path, {
      summary: 'CreateEmailIdentity: register a domain. An address needs no registration',
      body: { schema: newIdentitySchema, maxBytes: bodyLimits.small },
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
      body: { schema: identityListSchema, maxBytes: bodyLimits.small, optional: true },
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

function toListed({ name, status }: DomainListItem): SesListedIdentity {
  return {
    IdentityType: 'DOMAIN',
    IdentityName: name,
    SendingEnabled: status === 'SUCCESS',
    VerificationStatus: status,
  }
}
