import { readStored } from '../../composables/stored.ts'
import { goClients } from './clients/go.ts'
import { httpClients } from './clients/http.ts'
import { javaClients } from './clients/java.ts'
import { nodeClients } from './clients/node.ts'
import { otherClients } from './clients/others.ts'
import { phpClients } from './clients/php.ts'
import { pythonClients } from './clients/python.ts'
import { rubyClients } from './clients/ruby.ts'
import type { Client } from './place.ts'

export { httpClients }

/** The clients of SMTP that the page and `docs/guides/frameworks.md` show. */
export const smtpClients: readonly Client[] = [
  ...nodeClients,
  ...pythonClients,
  ...goClients,
  ...rubyClients,
  ...phpClients,
  ...javaClients,
  ...otherClients,
]

/** The client that a person chose last in this browser; at first, the first one. */
export function chosenClient(): Client {
  const name = readStored('connect-client')
  return smtpClients.find((one) => one.name === name) ?? (smtpClients[0] as Client)
}
