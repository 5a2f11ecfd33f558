/** The name of this provider. */
export const sendgrid = 'sendgrid'

/** The id of a request as `X-Message-Id` gives it: 22 characters, without a dot. @param uuid  A random one. */
export function toMessageId(uuid: string): string {
  return Buffer.from(uuid.replaceAll('-', ''), 'hex').toString('base64url')
}

/** A time as SendGrid writes it: Unix time in seconds. */
export function toSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000)
}

/** The prefix of metadata that Localpost sets itself. Other metadata is the custom arguments. */
export const ownPrefix = 'sendgrid:'

/** The metadata of an email that has other members of its request: its categories, one a line; its group; its batch. */
export const ownMetadata = {
  categories: `${ownPrefix}categories`,
  group: `${ownPrefix}asm_group_id`,
  batch: `${ownPrefix}batch_id`,
} as const
