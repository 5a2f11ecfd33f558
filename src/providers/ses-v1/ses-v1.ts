import type { Provider } from '../provider.ts'
import { actionRoutes } from './actions.ts'
import { sesV1Face } from './face.ts'

/** The first version of the API, which older clients speak. @see https://docs.aws.amazon.com/ses/latest/APIReference/ */
export const sesV1Provider: Provider = {
  face: sesV1Face,
  routes: actionRoutes,
}
