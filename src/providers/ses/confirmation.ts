import type { ShapedConfirmation } from '../../webhooks/shape.ts'
import { uuidOf } from '../uuid.ts'
import { topicArnOf } from './conventions.ts'

/**
 * How SNS has the HTTP endpoint of a subscription confirmed. It is not signed, as no message of SNS is here.
 *
 * @see https://docs.aws.amazon.com/sns/latest/dg/http-subscription-confirmation-json.html
 */
export const snsConfirmation: ShapedConfirmation = {
  body({ webhookId, token, url, time }) {
    const TopicArn = topicArnOf(webhookId)
    return {
      Type: 'SubscriptionConfirmation',
      MessageId: uuidOf(token),
      Token: token,
      TopicArn,
      Message: `You have chosen to subscribe to the topic ${TopicArn}.\nTo confirm the subscription, visit the SubscribeURL included in this message.`,
      SubscribeURL: url,
      Timestamp: new Date(time).toISOString(),
      SignatureVersion: '1',
      Signature: '',
      SigningCertURL: '',
    }
  },
  answer(webhookId) {
    const id = uuidOf(webhookId)
    const result = `<ConfirmSubscriptionResult><SubscriptionArn>${topicArnOf(webhookId)}:${id}</SubscriptionArn></ConfirmSubscriptionResult>`
    const metadata = `<ResponseMetadata><RequestId>${id}</RequestId></ResponseMetadata>`
    const text = `<ConfirmSubscriptionResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/">${result}${metadata}</ConfirmSubscriptionResponse>`
    return { type: 'text/xml; charset=utf-8', text }
  },
}
