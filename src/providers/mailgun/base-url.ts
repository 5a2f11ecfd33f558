import type { RouteContext } from '../../server/route.ts'
import { mailgunFace } from './face.ts'

/** The URL of this API, as the caller of a request sees it; for links in answers, which clients follow as they are. */
export function baseUrlOf({ headers, isSecure }: Pick<RouteContext, 'headers' | 'isSecure'>): string {
  return `${isSecure() ? 'https' : 'http'}://${headers.get('host') ?? 'localhost'}${mailgunFace.prefix}`
}
