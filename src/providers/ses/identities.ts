import { z } from 'zod'
import { notFound } from '../../store/repository.ts'
import type { DomainDetail, DomainListItem } from '../../domains/types.ts'
import { bodyLimits, type Route } from '../../server/route.ts'
import { allOf } from '../all-of.ts'
import type { ProviderParts } from '../provider.ts'
import { withNames } from '../send.ts'
import { rowsOf } from './face.ts'
import { nothing } from './nothing.ts'
import {
  createdIdentitySchema,
  identityListSchema,
  identitySchema,
  listedIdentitySchema,
  newIdentitySchema,
  type SesIdentity,
  type SesListedIdentity,
} from './identity-schema.ts'
import { type pageBody, pageQuery } from './page-query.ts'

const { get, post, del } = rowsOf('Identities')

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
  async function find(name: string): Promise<DomainDetail | null> {
    for await (const domain of allOf(domains.list))
      if (domain.name === name.toLowerCase()) return domains.get(domain.id)
    return null
  }

  /** An address has the state of its domain. */
  async function identityOf(name: string): Promise<SesIdentity> {
    const at = name.lastIndexOf('@')
    const domain = await find(name.slice(at + 1))
    if (!domain && at === -1) throw notFound('identity', name)
    return toIdentity(domain, at !== -1)
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
        if (!EmailIdentity.includes('@'))
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
      success: { schema: nothing },
      async handler({ params: { identity } }) {
        const domain = identity.includes('@') ? null : await find(identity)
        if (domain) await domains.remove(domain.id)
        else if (!identity.includes('@')) throw notFound('identity', identity)
        return {}
      },
    }),
  ]
}

function toIdentity(domain: DomainDetail | null, isAddress: boolean): SesIdentity {
  const status = domain?.status ?? 'SUCCESS'
  const keys = domain?.dns_records.flatMap((record) => (record.for === 'DKIM' ? record.name : [])) ?? []
  return {
    IdentityType: isAddress ? 'EMAIL_ADDRESS' : 'DOMAIN',
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
