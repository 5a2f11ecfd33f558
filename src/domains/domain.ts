import type { Collection, Store, StoredRecord } from '../store/store.ts'
import type { DomainDetail, DomainStatus } from './types.ts'

/** Amazon SES's states of an identity. */
export const domainStatuses = ['NOT_STARTED', 'PENDING', 'SUCCESS', 'FAILED', 'TEMPORARY_FAILURE'] as const

/** Why the last check found a domain not verified, in SES's words. */
export const verificationErrorTypes = [
  'HOST_NOT_FOUND',
  'TYPE_NOT_FOUND',
  'INVALID_VALUE',
  'DNS_SERVER_ERROR',
  'SERVICE_ERROR',
] as const

/** Whether a state may have the type of an error. */
export const mayHaveError: Readonly<Record<DomainStatus, boolean>> = {
  NOT_STARTED: false,
  PENDING: true,
  SUCCESS: false,
  FAILED: true,
  TEMPORARY_FAILURE: true,
}

/** The members of a domain that are stored as they are shown. */
export type StoredDomainMember =
  | 'name'
  | 'status'
  | 'created'
  | 'verification_info'
  | 'is_warmed_up'
  | 'warmed_up_at'
  | 'open_tracking_enabled'
  | 'click_tracking_enabled'

/** A domain as stored. */
export interface DomainRecord extends StoredRecord, Pick<DomainDetail, StoredDomainMember> {
  /** False for a name that only mail mentioned: it counts as verified and shares one key, until it is created. */
  registered: boolean
  /** When the owner began to ask for verification: Unix time in milliseconds; null before. */
  verification_started: number | null
  /** Its own DKIM key; null while it shares the instance's. */
  dkim: DkimKey | null
}

export interface DkimKey {
  selector: string
  /** PKCS#8 in PEM. */
  private_key: string
  /** Base64 of the SubjectPublicKeyInfo in DER. */
  public_key: string
}

export const domainCollection: Collection<DomainRecord> = {
  name: 'domains',
  indexes: { name: { on: ['name'], unique: true } },
}

/** The domain of this name as it is stored now. */
export const findDomain = (store: Pick<Store, 'find'>, name: string): Promise<DomainRecord | null> =>
  store.find(domainCollection, 'name', [name])
