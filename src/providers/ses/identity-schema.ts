import { z } from 'zod'
import { notSupported } from '../not-supported.ts'

/** The body of `CreateEmailIdentity`. */
export const newIdentitySchema = z.strictObject({
  EmailIdentity: z.string().min(1).max(320).describe('A domain, or an address'),
  ConfigurationSetName: z.string().optional().describe('Has no effect'),
  DkimSigningAttributes: notSupported('Localpost makes the keys'),
  Tags: notSupported('identities have no tags here'),
})

const status = z.enum(['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE'])
const type = z.enum(['EMAIL_ADDRESS', 'DOMAIN'])

/** The keys of a domain. */
const dkimSchema = z.strictObject({
  SigningEnabled: z.boolean(),
  Status: status,
  Tokens: z.array(z.string()).describe('The selectors of the keys: `<token>._domainkey.<domain>`'),
  SigningAttributesOrigin: z.literal('AWS_SES'),
})

const members = {
  IdentityType: type,
  VerifiedForSendingStatus: z.boolean(),
  DkimAttributes: dkimSchema,
}

/** The answer to `CreateEmailIdentity`. */
export const createdIdentitySchema = z.strictObject(members)

/** An identity in detail. */
export const identitySchema = z.strictObject({
  ...members,
  FeedbackForwardingStatus: z.boolean(),
  VerificationStatus: status,
  Policies: z.record(z.string(), z.string()),
  Tags: z.array(z.never()),
})
export type SesIdentity = z.infer<typeof identitySchema>

/** The body of `ListEmailIdentities`. */
export const identityListSchema = z.strictObject({
  NextToken: z.string().min(1).optional(),
  PageSize: z.int().min(0).max(1000).optional(),
  Filter: notSupported('the list has all identities'),
})

/** An identity in the list. */
export const listedIdentitySchema = z.strictObject({
  IdentityType: type,
  IdentityName: z.string(),
  SendingEnabled: z.boolean(),
  VerificationStatus: status,
})
export type SesListedIdentity = z.infer<typeof listedIdentitySchema>
