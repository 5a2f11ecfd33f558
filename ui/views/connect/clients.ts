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

/** The clients of SMTP, by language. */
export const smtpLanguages = {
  Node: nodeClients,
  Python: pythonClients,
  Go: goClients,
  Ruby: rubyClients,
  PHP: phpClients,
  Java: javaClients,
  Others: otherClients,
} as const satisfies Record<string, readonly Client[]>

export type SmtpLanguage = keyof typeof smtpLanguages
export const languageNames = Object.keys(smtpLanguages) as SmtpLanguage[]

/** The clients of SMTP that the page and `docs/guides/frameworks.md` show. */
export const smtpClients: readonly Client[] = Object.values(smtpLanguages).flat()

/** The language whose tab has a client. */
export const languageOf = (name: string): SmtpLanguage =>
  languageNames.find((language) => smtpLanguages[language].some((one) => one.name === name)) ?? 'Node'

/** The client that a person chose last in this browser; at first, the first one. */
export function chosenClient(): Client {
  const name = readStored('connect-client')
  return smtpClients.find((one) => one.name === name) ?? (smtpClients[0] as Client)
}
