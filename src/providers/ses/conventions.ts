/** The name of this provider. */
export const ses = 'ses'

/** The id of an email in the form of SES. @param uuid  A random one. */
export function toMessageId(uuid: string): string {
  return `0100${uuid.replaceAll('-', '').slice(0, 12)}-${uuid}-000000`
}

/** A time as the JSON protocol of AWS writes it: Unix time in seconds. */
export function toTimestamp(milliseconds: number): number {
  return milliseconds / 1000
}

/**
 * The ARN of the topic of a webhook. Localpost has no SNS: a topic stands for the one webhook that would subscribe to it.
 *
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */
export function topicArnOf(webhookId: string): string {
  return `arn:aws:sns:us-east-1:000000000000:${webhookId}`
}

/** The metadata of an email that has the name of its configuration set, as the tags of an event name it. */
export const configurationSetTag = 'ses:configuration-set'

/** The member that has the data for a template. Errors about the data name what follows it: `TemplateData.name`. */
export const templateDataName = 'TemplateData'
